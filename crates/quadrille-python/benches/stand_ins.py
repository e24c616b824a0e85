"""The stand-ins beside what they stand in for: rtree and scipy's KDTree call by call, and mesa's own flock. Processor
time; equal answers.

python benches/stand_ins.py         # writes benches/stand_ins.csv; needs rtree, scipy and mesa, and leaves out what is missing
python benches/stand_ins.py kdtree  # only this one; writes nothing
"""

from __future__ import annotations

import functools
import gc
import statistics
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent
COUNT = 10_000
ROUNDS = 3


def timed(function: Callable[[], Any]) -> tuple[float, Any]:
    start = time.process_time()
    answer = function()
    return time.process_time() - start, answer


def rtree_calls() -> list[str]:
    import rtree.index

    import pyquadrille.rtree

    draw = np.random.default_rng(1)
    places = draw.random((COUNT, 2)) * 100
    boxes = np.hstack([places, places + draw.random((COUNT, 2))])
    before, after = boxes.tolist(), (boxes + 0.1).tolist()
    corners = draw.random((COUNT, 2)) * 97
    windows = np.hstack([corners, corners + 3]).tolist()
    # rtree deletes so slowly that a part must do.
    some = COUNT // 10

    def delete_and_insert(index: Any, old: list[Any], new: list[Any]) -> None:
        for id in range(some):
            index.delete(id, old[id])
            index.insert(id, new[id])

    def update(index: Any) -> None:
        if not hasattr(index, "update"):
            return delete_and_insert(index, after, before)
        for id in range(some):
            index.update(id, before[id])

    ids = np.arange(COUNT)

    def load_arrays(kind: Any, boxes: Any) -> Any:
        return kind((ids, np.ascontiguousarray(boxes[:, :2]), np.ascontiguousarray(boxes[:, 2:])))

    def move_all(index: Any) -> Any:
        """The fastest way of each: rtree builds an index anew."""
        if not hasattr(index, "update_many"):
            return load_arrays(type(index), boxes + 0.2)
        index.update_many(ids, boxes[:, :2] + 0.2, boxes[:, 2:] + 0.2)

    # In this order: how many calls, and the calls. An index that one returns takes the place of that before.
    calls: dict[str, tuple[int, Callable[[Any], Any]]] = {
        "load a stream": (COUNT, lambda new: len(type(new)((id, box, None) for id, box in enumerate(before)))),
        "load arrays": (COUNT, lambda new: len(load_arrays(type(new), boxes))),
        "insert": (COUNT, lambda new: [new.insert(id, box) for id, box in enumerate(before)]),
        "count": (COUNT, lambda index: [index.count(box) for box in windows]),
        "intersection": (COUNT, lambda index: [sorted(index.intersection(box)) for box in windows]),
        "intersection, objects=True": (
            some,
            lambda index: [sorted(hit.id for hit in index.intersection(box, True)) for box in windows[:some]],
        ),
        "nearest, 3": (COUNT, lambda index: [sorted(index.nearest(box, 3)) for box in windows]),
        "move by delete and insert": (some, lambda index: delete_and_insert(index, before, after)),
        "move by update, which rtree lacks": (some, update),
        "move all by update_many, in rtree a new index": (COUNT, move_all),
    }
    kinds = {"rtree": rtree.index.Index, "stand-in": pyquadrille.rtree.Index}
    times: dict[tuple[str, str], list[float]] = {}
    for _ in range(ROUNDS):
        indexes = {name: kind() for name, kind in kinds.items()}
        for title, (count, call) in calls.items():
            answers = []
            for name, index in list(indexes.items()):
                took, answer = timed(functools.partial(call, index))
                times.setdefault((title, name), []).append(took / count * 1e6)
                if isinstance(answer, tuple(kinds.values())):
                    indexes[name], answer = answer, None
                # Changes have no answer: a few questions say what they did.
                asked = [sorted(indexes[name].intersection(box)) for box in windows[:some]]
                answers.append((answer, asked))
            assert answers[0] == answers[1], title
    lines = []
    for title in calls:
        theirs, ours = (statistics.median(times[title, name]) for name in kinds)
        lines.append(f'"rtree: {title}",{COUNT},us,{theirs:.1f},{ours:.1f},{theirs / ours:.1f}')
    return lines


def kdtree_calls(count: int = 100_000) -> list[str]:
    import scipy.spatial

    import pyquadrille.kdtree

    kinds = (scipy.spatial.KDTree, pyquadrille.kdtree.KDTree)
    draw = np.random.default_rng(1)
    # One point to a square of 1: 10 of them in a circle of this radius.
    places, radius = draw.random((count, 2)) * count**0.5, 1.8
    asked = draw.random((count // 10, 2)) * count**0.5
    few = asked[:1000]
    calls: dict[str, Callable[[Any], Any]] = {
        "query": lambda tree: tree.query(asked)[0],
        "query, k=10": lambda tree: tree.query(asked, 10)[0],
        "query, 1000 calls": lambda tree: [tree.query(point)[0] for point in few],
        "query_ball_point, 10 each": lambda tree: tree.query_ball_point(asked, radius).tolist(),
        "query_ball_point, 1000 calls": lambda tree: [sorted(tree.query_ball_point(point, radius)) for point in few],
        "query_ball_point, return_length": lambda tree: tree.query_ball_point(asked, radius, return_length=True),
        "query_ball_tree, 3 each": lambda tree: tree.query_ball_tree(tree, radius / 2),
        "query_pairs, ndarray": lambda tree: len(tree.query_pairs(radius / 2, output_type="ndarray")),
        "query_pairs, set": lambda tree: tree.query_pairs(radius / 2),
        "sparse_distance_matrix, coo": lambda tree: tree.sparse_distance_matrix(
            tree, radius / 2, output_type="coo_matrix"
        ).sum(),
        "count_neighbors, 3 radii": lambda tree: tree.count_neighbors(tree, [radius / 4, radius / 2, radius]),
        "count_neighbors, 600 each": lambda tree: tree.count_neighbors(tree, 8 * radius),
    }
    ticks: dict[str, Callable[[Any], Any]] = {
        "a tenth moves": lambda tree: tree.n,
        "a tenth moves, query, k=10": calls["query, k=10"],
        "a tenth moves, query_pairs, ndarray": calls["query_pairs, ndarray"],
        "a tenth moves, sparse_distance_matrix, coo": calls["sparse_distance_matrix, coo"],
    }
    times: dict[str, list[list[float]]] = {title: [[], []] for title in ("build", *calls, *ticks)}

    def both(title: str, jobs: list[Callable[[], Any]]) -> list[Any]:
        answers: list[Any] = [None, None]
        first = len(times[title][0]) % 2
        for which in (first, 1 - first):
            # The answer of the other is not to be looked through amid this one.
            gc.collect()
            gc.freeze()
            took, answers[which] = timed(jobs[which])
            times[title][which].append(took * 1e3)
        return answers

    def moved(tree: Any, rows: Any) -> Any:
        """The fastest way of each: scipy builds a tree anew."""
        if not hasattr(tree, "move"):
            return type(tree)(places)
        tree.move(rows, places[rows])
        return tree

    for _ in range(ROUNDS):
        trees = both("build", [functools.partial(kind, places) for kind in kinds])
        for title, call in calls.items():
            theirs, ours = both(title, [functools.partial(call, tree) for tree in trees])
            assert (
                theirs == ours
                if isinstance(theirs, (int, set, list)) and title[:6] != "query,"
                else np.allclose(theirs, ours)
            )
        for title, call in ticks.items():
            rows = draw.choice(count, count // 10, replace=False)
            places[rows] += draw.normal(0, 1, (len(rows), 2))
            theirs, ours = both(title, [lambda tree=tree: call(moved(tree, rows)) for tree in trees])
            assert np.allclose(theirs, ours)
    lines = []
    for title, taken in times.items():
        theirs, ours = map(statistics.median, taken)
        lines.append(f'"KDTree: {title}",{count},ms,{theirs:.1f},{ours:.1f},{theirs / ours:.2f}')
    return lines


def mesa_flock() -> list[str]:
    import mesa.examples.basic.boid_flockers.model as boids
    from mesa.experimental.continuous_space import ContinuousSpace

    import pyquadrille.mesa

    def flock(space: type, count: int) -> Any:
        # As crowded as the example is.
        side = 10 * count**0.5
        boids.ContinuousSpace = space
        options = {"population_size": count, "width": side, "height": side}
        if hasattr(boids, "BoidsScenario"):
            return boids.BoidFlockers(scenario=boids.BoidsScenario(**options, rng=5))
        return boids.BoidFlockers(**options, seed=5)

    def search(model: Any) -> None:
        for bird in model.agents:
            bird.get_neighbors_in_radius(10)

    lines = []
    for count, steps in ((100, 20), (1_000, 5), (10_000, 3)):
        models = [flock(space, count) for space in (ContinuousSpace, pyquadrille.mesa.ContinuousSpace)]
        taken = []
        for _ in range(steps):
            taken.append(
                [timed(call)[0] * 1e3 for model in models for call in (model.step, functools.partial(search, model))]
            )
            assert models[0].space.agent_positions.tobytes() == models[1].space.agent_positions.tobytes()
        theirs, their_search, ours, our_search = map(statistics.median, zip(*taken, strict=True))
        lines.append(f'"mesa: a step of the flock",{count},ms,{theirs:.0f},{ours:.0f},{theirs / ours:.1f}')
        search_ratio = their_search / our_search
        lines.append(f'"mesa: its search",{count},ms,{their_search:.1f},{our_search:.1f},{search_ratio:.1f}')
    return lines


def main() -> None:
    warnings.simplefilter("ignore")
    lines = ["call,objects,unit,theirs,stand-in,ratio"]
    parts = {"rtree": rtree_calls, "kdtree": kdtree_calls, "mesa": mesa_flock}
    for part in [parts[name] for name in sys.argv[1:] or parts]:
        try:
            lines += part()
        except ModuleNotFoundError as error:
            print(f"{error.name} is not installed")
    if not sys.argv[1:]:
        (HERE / "stand_ins.csv").write_text("\n".join(lines) + "\n")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
