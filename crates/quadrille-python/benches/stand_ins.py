"""The stand-ins beside what they stand in for: rtree call by call, and mesa's own flock. Processor time; equal answers.

    python benches/stand_ins.py         # writes benches/stand_ins.md; needs rtree and mesa, and leaves out what is missing
"""

from __future__ import annotations

import statistics
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
    moved = COUNT // 10
    times: dict[tuple[str, str], list[float]] = {}
    answers: dict[str, list[Any]] = {}

    def note(title: str, who: str, count: int, function: Callable[[], Any]) -> None:
        took, answer = timed(function)
        times.setdefault((title, who), []).append(took / count * 1e6)
        answers.setdefault(title, []).append(answer)

    for _ in range(ROUNDS):
        for who, module in (("rtree", rtree.index), ("stand-in", pyquadrille.rtree)):
            index = module.Index()
            note("insert", who, COUNT, lambda: [index.insert(id, box) for id, box in enumerate(before)])
            note("intersection", who, COUNT, lambda: [sorted(index.intersection(box)) for box in windows])
            note("count", who, COUNT, lambda: [index.count(box) for box in windows])
            note("nearest, 3", who, COUNT, lambda: [sorted(index.nearest(box, 3)) for box in windows])
            note("intersection, objects=True", who, 1000, lambda: [sorted(hit.id for hit in index.intersection(box, True)) for box in windows[:1000]])
            note("load a stream", who, COUNT, lambda: len(module.Index((id, box, None) for id, box in enumerate(before))))

            def move_by_delete() -> None:
                for id in range(moved):
                    index.delete(id, before[id])
                    index.insert(id, after[id])

            note("move by delete and insert", who, moved, move_by_delete)
            if who == "stand-in":
                note("move by update", who, moved, lambda: [index.update(id, box) for id, box in enumerate(before[:moved])] and None)
            else:
                times.setdefault(("move by update", who), []).append(times["move by delete and insert", who][-1])
    for title, found in answers.items():
        assert all(answer == found[0] for answer in found), title
    lines = [f"## rtree, {COUNT} boxes, one call each", "", "| | rtree | stand-in | ratio |", "|---|---|---|---|"]
    for title in dict.fromkeys(title for title, _ in times):
        theirs, ours = (statistics.median(times[title, who]) for who in ("rtree", "stand-in"))
        lines.append(f"| {title} | {theirs:.1f} µs | {ours:.1f} µs | {theirs / ours:.1f} |")
    return [*lines, ""]


def mesa_flock() -> list[str]:
    import mesa.examples.basic.boid_flockers.model as boids
    from mesa.experimental.continuous_space import ContinuousSpace

    import pyquadrille.mesa

    def model(space: type, count: int) -> Any:
        # As crowded as the example is.
        side = 10 * count**0.5
        boids.ContinuousSpace = space
        scenario = boids.BoidsScenario(population_size=count, width=side, height=side, rng=5)
        return boids.BoidFlockers(scenario=scenario)

    lines = ["## mesa's Boid Flockers, one step on a torus", "", "| boids | mesa | stand-in | ratio | of it search, mesa | stand-in | ratio |", "|---|---|---|---|---|---|---|"]
    for count, steps in ((100, 20), (1_000, 5), (10_000, 2)):
        both = [model(space, count) for space in (ContinuousSpace, pyquadrille.mesa.ContinuousSpace)]
        taken: list[list[float]] = [[], []]
        for _ in range(steps):
            for one, times in zip(both, taken, strict=True):
                times.append(timed(one.step)[0] * 1e3)
            assert both[0].space.agent_positions.tobytes() == both[1].space.agent_positions.tobytes()
        asked = [list(one.agents)[:500] for one in both]
        search = [timed(lambda: [bird.get_neighbors_in_radius(10) for bird in birds])[0] / len(birds) * count * 1e3 for birds in asked]  # noqa: B023
        theirs, ours = map(statistics.median, taken)
        lines.append(
            f"| {count} | {theirs:.0f} ms | {ours:.0f} ms | {theirs / ours:.1f} | "
            f"{search[0]:.0f} ms | {search[1]:.0f} ms | {search[0] / search[1]:.1f} |"
        )
    return [*lines, "", "All positions are equal to the last bit after each step.", ""]


def main() -> None:
    warnings.simplefilter("ignore")
    lines = ["# The stand-ins beside what they stand in for", "", "Written by `stand_ins.py`. Processor time, medians.", ""]
    for part in (rtree_calls, mesa_flock):
        try:
            lines += part()
        except ModuleNotFoundError as error:
            print(f"{error.name} is not installed")
    (HERE / "stand_ins.md").write_text("\n".join(lines))
    print("\n".join(lines))


if __name__ == "__main__":
    main()
