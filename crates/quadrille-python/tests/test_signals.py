"""Ctrl-C ends a long call soon, and nothing has changed."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

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
CALLS = {
    "windows": lambda index: index.windows(BOXES),
    "count_windows": lambda index: index.count_windows(np.vstack([BOXES + shift for shift in np.linspace(0, 1, 40)])),
    "within_many": lambda index: index.within_many(PLACES, 40.0),
    "nearest_many": lambda index: index.nearest_many(PLACES, 1000),
    "raycast_many": lambda index: index.raycast_many(np.tile(PLACES, (100, 1)), np.ones((2_000_000, 2))),
    "cast_many": lambda index: index.cast_many(np.tile(PLACES, (100, 1)), np.ones((2_000_000, 2))),
    "pairs": lambda index: index.pairs(40.0),
    "pairs, threads": lambda index: index.pairs(40.0, threads=True),
    "pairs of some": lambda index: index.pairs(40.0, of=index.handles()),
    "neighbors": lambda index: index.neighbors(40.0),
    "join": lambda index: index.join(index, 40.0),
    "poll": lambda index: index.contacts(40.0).poll(),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_signal_ends(crowd, name):
    def interrupt():
        time.sleep(0.2)
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        CALLS[name](crowd)
        time.sleep(1)  # a fast machine
    took = time.monotonic() - began
    thread.join()
    assert took < 1.2, took
    # It goes on.
    assert crowd.count() == 20_000
    crowd.move(crowd.handles(0), (1, 1))


def test_contacts_are_as_before(crowd):
    contacts = crowd.contacts(1.0)
    contacts.poll()
    known = contacts.pairs()
    far = crowd.contacts(40.0)
    signal.signal(signal.SIGALRM, lambda *_: (_ for _ in ()).throw(TimeoutError))
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    with pytest.raises(TimeoutError):
        far.poll()
        time.sleep(1)
    assert len(far.pairs()) == 0 and np.array_equal(contacts.pairs(), known)


def test_a_handler_that_uses_the_index():
    """It may ask. To change what is asked about would wait for ever: it raises."""
    program = """
        import signal, numpy as np, pyquadrille as pq
        index = pq.Index([0, 0, 100, 100])
        units = index.add_points()
        handles = index.insert_many(units, np.random.default_rng(1).uniform(0, 100, (20_000, 2)))
        seen = []

        def handler(*_):
            seen.append(index.count())
            seen.append(len(index.windows([(0, 0, 100, 100)])[1]))
            for change in (lambda: index.move(int(handles[0]), (1, 1)), lambda: index.move_many(handles[:1], [(1, 1)])):
                try:
                    change()
                except RuntimeError as error:
                    seen.append(str(error))

        signal.signal(signal.SIGALRM, handler)
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        pairs = index.pairs(20.0)
        assert len(pairs) > 20_000_000, len(pairs)
        assert seen[:2] == [20_000, 20_000] and len(seen) == 4 and "signal handler" in seen[2], seen
        index.move(int(handles[0]), (1, 1))
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(program)], check=True, timeout=120, env=os.environ)
