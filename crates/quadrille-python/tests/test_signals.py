"""Ctrl-C ends a long call soon, and nothing has changed."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from contextlib import contextmanager
from functools import partial

import numpy as np
import pyquadrille as pq
import pytest

pytestmark = pytest.mark.skipif(
    threading.current_thread() is not threading.main_thread() or not hasattr(signal, "pthread_kill"), reason="POSIX only"
)

SIDE = 100.0


@pytest.fixture(scope="module")
def crowd():
    """So many in one place that each question takes long."""
    index = pq.Index([0, 0, SIDE, SIDE])
    index.insert_many(index.add_points(), np.random.default_rng(1).uniform(0, SIDE, (20_000, 2)))
    return index


PLACES = np.random.default_rng(2).uniform(0, SIDE, (20_000, 2))
BOXES = np.hstack([PLACES - 30, PLACES + 30])


# Its edges cross each other everywhere: each object takes long.
HOSTILE = pq.Polygon(np.random.default_rng(3).uniform(0, SIDE, (50_000, 2)))


def rays(ask):
    return partial(ask, np.tile(PLACES, (200, 1)), np.ones((4_000_000, 2)))


# Each takes longer than a second, and has its arrays before it begins.
CALLS = {
    "windows": lambda index: partial(index.windows, np.tile(BOXES, (2, 1))),
    "count_windows": lambda index: partial(
        index.count_windows, np.vstack([BOXES + shift for shift in np.linspace(0, 1, 100)])
    ),
    "within_many": lambda index: partial(index.within_many, PLACES, 40.0),
    "nearest_many": lambda index: partial(index.nearest_many, PLACES, 1000),
    "raycast_many": lambda index: rays(index.raycast_many),
    "cast_many": lambda index: rays(index.cast_many),
    "pairs": lambda index: partial(index.pairs, 40.0),
    "pairs, threads": lambda index: partial(index.pairs, 40.0, threads=True),
    "pairs of some": lambda index: partial(index.pairs, 40.0, of=index.handles()),
    "neighbors": lambda index: partial(index.neighbors, 40.0),
    "join": lambda index: partial(index.join, index, 40.0),
    "poll": lambda index: index.contacts(40.0).poll,
    "count in a polygon": lambda index: index.intersecting(HOSTILE).count,
    "rows in a polygon": lambda index: index.contained_in(HOSTILE).rows,
    "windows by polygons": lambda index: index.watch_many([HOSTILE, HOSTILE]).poll,
    "poll of one": lambda index: index.intersecting(HOSTILE).watch().poll,
    "nearest_many, large k": lambda index: partial(index.nearest_many, np.tile(PLACES, (5, 1)), 500),
    "poll of many": lambda index: index.watch_many(np.tile(BOXES, (2, 1))).poll,
}


def seconds_to_end(call):
    """The time from a signal to the end of the call."""
    sent = []

    def interrupt():
        time.sleep(0.2)
        sent.append(time.monotonic())
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

    # A program that a shell has started in the background ignores it.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    thread = threading.Thread(target=interrupt)
    try:
        with pytest.raises(KeyboardInterrupt):
            thread.start()
            call()
            time.sleep(10)  # so that the signal does not come later
    finally:
        thread.join()
        signal.signal(signal.SIGINT, before)
    return time.monotonic() - sent[0]


@pytest.mark.parametrize("name", CALLS)
def test_a_signal_ends(crowd, name):
    # A busy machine may be slow once, or twice.
    assert any(seconds_to_end(CALLS[name](crowd)) < 0.5 for _ in range(5))
    # It goes on.
    assert crowd.count() == 20_000
    crowd.move(crowd.handles(0), (1, 1))


@contextmanager
def ended_by_a_signal():
    def end(*_):
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, end)
    try:
        with pytest.raises(TimeoutError):
            signal.setitimer(signal.ITIMER_REAL, 0.03)
            yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_contacts_are_as_before(crowd):
    """A poll that was ended has not been asked: the next one tells all changes."""
    contacts, handles = crowd.contacts(12.0), crowd.handles()
    contacts.poll()
    known, moved = contacts.pairs(), handles[:5000]
    crowd.move_many(moved, PLACES[:5000])
    for poll in (contacts.poll, partial(contacts.poll, handles)):
        with ended_by_a_signal():
            poll()
        assert np.array_equal(contacts.pairs(), known)
    fresh = crowd.contacts(12.0)
    fresh.poll()
    begun, ended = contacts.poll(moved)
    assert np.array_equal(contacts.pairs(), fresh.pairs())
    assert len(begun) > 1000 < len(ended) and len(known) + len(begun) - len(ended) == len(fresh.pairs())


CROWD = """
import signal, threading, numpy as np, pyquadrille as pq
index = pq.Index([0, 0, 100, 100])
units = index.add_points()
handles = index.insert_many(units, np.random.default_rng(1).uniform(0, 100, (20_000, 2)))
seen = []
"""


def run(program):
    """Runs a program about a crowd in a process of its own."""
    command = [sys.executable, "-c", CROWD + textwrap.dedent(program)]
    subprocess.run(command, check=True, timeout=600, env=os.environ)


def test_a_handler_that_uses_the_index():
    """It may ask. To change what is asked about would wait for ever: it raises."""
    program = """
        def handler(*_):
            seen.append(index.count())
            seen.append(len(index.windows([(0, 0, 100, 100)])[1]))
            for change in (lambda: index.move(int(handles[0]), (1, 1)), lambda: index.move_many(handles[:1], [(1, 1)])):
                try:
                    change()
                except RuntimeError as error:
                    seen.append(str(error))

        signal.signal(signal.SIGALRM, handler)
        for _ in range(20):
            # A busy machine may come to the handler before the question, or after it.
            seen.clear()
            signal.setitimer(signal.ITIMER_REAL, 0.1)
            pairs = index.pairs(20.0)
            assert len(pairs) > 20_000_000, len(pairs)
            if len(seen) == 4:
                break
        assert seen[:2] == [20_000, 20_000] and len(seen) == 4 and "signal handler" in seen[2], seen
        index.move(int(handles[0]), (1, 1))
    """
    run(program)


def test_a_handler_waits_for_no_lock():
    """A thread that waits to change the index lets no new question pass, and waits for the interrupted one."""
    program = """
        waiting = threading.Thread(target=index.count)

        def handler(*_):
            global waiting
            try:
                index.count()
            except RuntimeError as error:
                seen.append(str(error))
                return
            # The question is not asked yet, or no thread waits for its end.
            if not waiting.is_alive():
                waiting = threading.Thread(target=index.move, args=(int(handles[0]), (1, 1)))
                waiting.start()
            signal.setitimer(signal.ITIMER_REAL, 0.05)

        signal.signal(signal.SIGALRM, handler)
        boxes = np.tile((20.0, 20.0, 80.0, 80.0), (1_000_000, 1))
        for _ in range(20):
            signal.setitimer(signal.ITIMER_REAL, 0.05)
            index.count_windows(boxes)
            signal.setitimer(signal.ITIMER_REAL, 0)
            if seen:
                break
        waiting.join()
        assert len(seen) == 1 and "a signal handler cannot wait for a lock" in seen[0], seen
        assert index.shape(int(handles[0])).tolist() == [1, 1, 1, 1]
    """
    run(program)
