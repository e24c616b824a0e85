"""A million calls leave nothing behind."""

import gc
import itertools
import tracemalloc
from pathlib import Path

import numpy as np
import pyquadrille as pq
import pytest

STATUS = Path("/proc/self/status")
CALLS = 1_000_000


def resident():
    """Memory of the process in MiB."""
    line = next(line for line in STATUS.read_text().splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) / 1024


def everything():
    index = pq.Index([0, 0, 100, 100])
    units = index.add_points()
    handles = index.insert_many(units, np.random.default_rng(1).uniform(0, 100, (200, 2)))
    handle, box, ball = int(handles[0]), (10.0, 10.0, 20.0, 20.0), pq.Ball((50, 50), 5)
    array = np.array(box)
    watch, contacts = index.intersecting(box).watch(), index.contacts(1.0)

    def fails():
        try:
            index.remove(2**33)
        except KeyError:
            pass

    def refuses():
        try:
            index.insert(units, (1.0, float("nan")))
        except ValueError:
            pass

    quick = [
        lambda: index.intersecting(box).rows(),
        lambda: index.intersecting(array, units).tolist(),
        lambda: index.intersecting(ball).handles(),
        lambda: index.move(handle, (1.0, 2.0)),
        lambda: index.remove(index.insert(units, (3.0, 4.0))),
        lambda: index.nearest((5, 5), 3),
        lambda: next(iter(index.intersecting(box)), None),
        lambda: index.raycast((0, 0), (1, 1)),
        lambda: index.cast(box, (1, 1)),
        lambda: index.world,
        lambda: (units | units, ~units),
        fails,
        refuses,
        lambda: watch.poll(),
    ]
    slow = [
        lambda: index.windows([box, box]),
        lambda: index.nearest_many([(1, 1)], 2),
        lambda: index.shapes([1, 2]),
        lambda: index.move_many(handles[:9], np.ones((9, 2))),
        lambda: index.pairs(1.0),
        lambda: index.neighbors(1.0),
        lambda: contacts.poll(moved=handles[:9]),
        lambda: pq.Polygon([(0, 0), (1, 0), (1, 1)]),
        lambda: index.__copy__(),
        lambda: watch.__reduce__(),
        lambda: list(index.intersecting(box)),
    ]
    return quick, slow


def call(functions, times):
    for function in itertools.islice(itertools.cycle(functions), times):
        function()


@pytest.mark.skipif(not STATUS.exists(), reason="no /proc: how much memory the process takes is unknown")
def test_a_million_calls():
    quick, slow = everything()
    call(quick, CALLS // 50), call(slow, CALLS // 500)
    gc.collect()

    def grown():
        before = resident()
        call(quick, CALLS), call(slow, CALLS // 50)
        gc.collect()
        return resident() - before

    # One byte left behind by each call is one MiB. Other pages of the system may come: what leaks does so each time.
    assert any(grown() < 8 for _ in range(3))


def test_objects_of_python():
    quick, slow = everything()
    call(quick + slow, 2000)
    gc.collect()
    tracemalloc.start()
    call(quick + slow, 2000)
    gc.collect()
    before = tracemalloc.get_traced_memory()[0]
    call(quick + slow, 20_000)
    gc.collect()
    after = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert after - before < 20_000
