"""One index, many threads: no answer is torn, nobody waits for ever, and batches let others run."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pyquadrille as pq
import pytest

SECONDS = 1.0


@pytest.fixture
def flock():
    index = pq.Index([0, 0, 100, 100])
    units = index.add_points()
    handles = index.insert_many(units, np.random.default_rng(1).uniform(0, 100, (2000, 2)))
    return index, units, handles


def run(*jobs):
    """Each job again and again, all at the same time."""
    until = time.monotonic() + SECONDS

    def work(job, seed):
        rng, rounds = np.random.default_rng(seed), 0
        while rounds == 0 or time.monotonic() < until:
            job(rng)
            rounds += 1

    with ThreadPoolExecutor(len(jobs)) as pool:
        for future in [pool.submit(work, job, seed) for seed, job in enumerate(jobs)]:
            future.result(timeout=60)


def test_readers_beside_a_writer(flock):
    """The writer moves all by the same step, so any whole answer has all of them or none."""
    index, _, handles = flock
    left, right = [0, 0, 100, 100], [200, 0, 300, 100]
    places = index.shapes(np.arange(2000))[:, :2]

    def write(_):
        index.move_many(handles, places + [200, 0])
        index.move_many(handles, places)

    def whole(count):
        assert count in (0, 2000), count

    run(
        write,
        lambda _: whole(index.intersecting(left).count()),
        lambda _: whole(len(index.intersecting(right).rows())),
        lambda _: whole(index.count_windows([left])[0]),
        lambda rng: index.nearest_many(rng.uniform(0, 100, (50, 2)), 3),
        lambda _: index.neighbors(0.5),
    )
    assert index.intersecting(left).count() == 2000


def test_everything_at_once(flock):
    index, units, _ = flock
    other = pq.Index([0, 0, 100, 100])
    more = other.add_points()
    other.insert_many(more, np.random.default_rng(2).uniform(0, 100, (500, 2)))
    watch, contacts = index.intersecting([0, 0, 50, 50]).watch(), index.contacts(0.5)

    def come_and_go(rng):
        handles = index.insert_many(units, rng.uniform(0, 100, (20, 2)))
        index.move_many(handles, rng.uniform(0, 100, (20, 2)))
        one = index.insert(units, (5, 5))
        index.remove(one)
        index.remove_many(handles)

    def iterate(rng):
        for n, row in enumerate(index.intersecting([0, 0, 20, 20])):
            assert 0 <= row < index.capacity()
            if n == 50:
                break

    def join(rng):
        index.join(other, 0.5)
        other.join(index, 0.5)
        index.join(index)

    def change_the_other(rng):
        handle = other.insert(more, tuple(rng.uniform(0, 100, 2)))
        other.remove(handle)

    run(
        come_and_go,
        come_and_go,
        iterate,
        join,
        join,
        change_the_other,
        lambda _: watch.poll(),
        lambda _: watch.poll(),
        lambda _: contacts.poll(),
        lambda _: (index.optimize(), index.bounds()),
        lambda _: index.__copy__(),
        lambda _: index.__reduce__(),
    )
    assert len(index) == 2000 and len(other) == 500


def test_batches_let_others_run(flock):
    index, _, _ = flock
    beats, done = [], threading.Event()

    def beat():
        while not done.is_set():
            beats.append(time.perf_counter())
            time.sleep(0.001)

    thread = threading.Thread(target=beat)
    thread.start()
    while not beats:
        time.sleep(0.001)
    places = np.random.default_rng(3).uniform(0, 100, (2000, 2))
    began = time.perf_counter()
    while time.perf_counter() < began + 30:
        started = time.perf_counter()
        index.within_many(places, 100.0)  # all of them, from everywhere
        ended = time.perf_counter()
        if any(started < at < ended for at in list(beats)):
            break
    done.set()
    thread.join()
    assert any(started < at < ended for at in beats)
