"""A forked child has none of its parent's other threads, and waits for none of them."""

import os
import subprocess
import sys
import textwrap

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="POSIX only")

BEGIN = """
    import os, sys, threading, time, warnings
    import numpy as np, pyquadrille as pq
    warnings.simplefilter("ignore", DeprecationWarning)
    index = pq.Index([0, 0, 100, 100])
    units = index.add_points()
    handles = index.insert_many(units, np.random.default_rng(1).uniform(0, 100, (5000, 2)))

    def in_child(work):
        child = os.fork()
        if child == 0:
            try:
                work()
                os._exit(0)
            except BaseException as error:
                print(repr(error), file=sys.stderr, flush=True)
                os._exit(1)
        assert os.waitpid(child, 0)[1] == 0

    def begun(work):
        # A thread amid work, which takes more than a second. Ten times it has gone on while this one slept: the first time
        # it may still read its arguments, with the interpreter, which this one waits for.
        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        for _ in range(10):
            before = time.process_time()
            while time.process_time() < before + 0.01:
                time.sleep(0.005)
        assert thread.is_alive()
        return thread
"""


def run(program):
    code = textwrap.dedent(BEGIN) + textwrap.dedent(program)
    done = subprocess.run([sys.executable, "-c", code], timeout=300, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_pairs_by_threads_in_a_child():
    run("""
        expected = len(index.pairs(1.0, threads=True))

        def work():
            for _ in range(3):
                assert len(index.pairs(1.0, threads=True)) == expected
            assert len(index.neighbors(1.0, threads=True)[1]) == 2 * expected
            in_child(lambda: index.pairs(1.0, threads=True))

        in_child(work)
        assert len(index.pairs(1.0, threads=True)) == expected
    """)


def test_a_child_moves_what_it_has_inherited():
    run("""
        watch, contacts = index.intersecting([0, 0, 9, 9]).watch(), index.contacts(1.0)

        def work():
            index.move(int(handles[0]), (1, 1))
            index.move_many(handles, np.ones((5000, 2)))
            watch.poll(), contacts.poll()
            in_child(lambda: index.remove_many(handles))

        in_child(work)
    """)


def test_a_fork_while_another_thread_asks():
    """The child cannot tell what the other thread has left: the index says so. It does not wait for ever."""
    run("""
        corners = np.random.default_rng(2).uniform(0, 70, (2000, 2))
        boxes = np.tile(np.hstack([corners, corners + 30]), (1000, 1))
        asks = begun(lambda: index.count_windows(boxes))

        def work():
            for use in (
                lambda: index.move(int(handles[0]), (1, 1)),
                lambda: index.move_many(handles, np.ones((5000, 2))),
                lambda: index.count(),
                lambda: index.pairs(1.0),
            ):
                try:
                    use()
                except RuntimeError as error:
                    assert "fork" in str(error)
                else:
                    raise AssertionError("used")
            other = pq.Index([0, 0, 1, 1])
            other.insert(other.add_points(), (0.5, 0.5))

        in_child(work)
        asks.join()
        in_child(lambda: index.move(int(handles[0]), (1, 1)))
    """)


def test_a_fork_while_another_thread_polls():
    run("""
        crowd = pq.Index([0, 0, 100, 100])
        crowd.insert_many(crowd.add_points(), np.random.default_rng(2).uniform(0, 100, (20_000, 2)))
        contacts = crowd.contacts(20.0)
        asks = begun(contacts.poll)

        def work():
            try:
                contacts.pairs()
            except RuntimeError as error:
                assert "fork" in str(error)
            else:
                raise AssertionError("used")

        in_child(work)
        asks.join()
    """)


def test_a_pool_of_processes():
    run("""
        import multiprocessing
        expected = len(index.pairs(1.0, threads=True))

        def work(_):
            return len(index.pairs(1.0, threads=True))

        with multiprocessing.get_context("fork").Pool(2) as pool:
            assert pool.map(work, range(4)) == [expected] * 4
    """)
