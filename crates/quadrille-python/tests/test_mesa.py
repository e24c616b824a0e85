"""The space for mesa: mesa's own tests, and the same agents as in mesa's own space, to the last bit."""

import importlib.metadata
import pickle
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import others
import pytest

# It may also be a package that mesa imports and pip does not bring: the reason names what is missing.
mesa = pytest.importorskip("mesa")
mesa_space = pytest.importorskip("mesa.experimental.continuous_space")
import pyquadrille.mesa as spaces

BOTH = (mesa_space.ContinuousSpace, spaces.ContinuousSpace)
SIDE = 8


def test_tests_of_mesa_itself(request: pytest.FixtureRequest, tmp_path: Path) -> None:
    cache = others.cache(request, tmp_path)
    archive = others.sources("mesa", importlib.metadata.version("mesa"), cache)
    counts = others.run(archive, "test_continuous_space.py", "mesa_plugin", tmp_path)
    assert counts["passed"] >= 7 and set(counts) <= {"passed", "warnings"}, counts


@pytest.fixture(autouse=True)
def no_agents_are_few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spaces, "FEW", 0)


class Twins:
    """The same agents in mesa's space and in ours."""

    def __init__(self, dim: int, torus: bool) -> None:
        model = mesa.Model()
        dimensions = [[-SIDE // 2, SIDE // 2]] * dim
        self.spaces = [space(dimensions, torus=torus, random=random.Random(1), n_agents=3) for space in BOTH]
        self.model = model
        self.agents: list[list[Any]] = [[], []]

    def add(self, place: list[float]) -> None:
        for space, agents in zip(self.spaces, self.agents, strict=True):
            agents.append(mesa_space.ContinuousSpaceAgent(space, self.model))
            agents[-1].position = place

    def remove(self, number: int) -> None:
        for agents in self.agents:
            agents.pop(number).remove()

    def assert_equal(self, point: list[float], radius: float) -> None:
        answers = []
        for space, agents in zip(self.spaces, self.agents, strict=True):
            found, distances = space.get_agents_in_radius(point, radius)
            answers.append(([agents.index(agent) for agent in found], distances.tolist()))
        assert answers[0] == answers[1]


@pytest.mark.parametrize("torus", [False, True])
@pytest.mark.parametrize("dim", [2, 3])
def test_equal_to_mesa(dim: int, torus: bool) -> None:
    draw = random.Random(dim)
    twins = Twins(dim, torus)

    def place() -> list[float]:
        return [draw.randrange(2 * SIDE) / 2 - SIDE / 2 for _ in range(dim)]

    for _ in range(400):
        count = len(twins.agents[0])
        deed = draw.random()
        if count < 5 or deed < 0.2:
            twins.add(place())
        elif deed < 0.3:
            twins.remove(draw.randrange(count))
        elif deed < 0.5:
            for number, there in [(draw.randrange(count), place()) for _ in range(3)]:
                for agents in twins.agents:
                    agents[number].position = there
        elif deed < 0.7:
            number, axis = draw.randrange(count), draw.randrange(dim)
            for agents in twins.agents:
                agents[number].position[axis] *= 0.5
        elif deed < 0.8:
            for space in twins.spaces:
                space.agent_positions[:, 0] *= -0.75
        twins.assert_equal(place(), draw.randrange(3 * SIDE) / 4)
        k = draw.randrange(1, count - 1) if count > 3 else 1
        # Which of equally near agents mesa returns, and in which order, is arbitrary.
        if count > k:
            point = place()
            distances = [space.get_k_nearest_agents(point, k)[1] for space in twins.spaces]
            assert sorted(distances[0]) == distances[1].tolist()


WRITES: dict[str, Callable[[Any, Any], None]] = {
    "the setter": lambda agent, space: setattr(agent, "position", [3.0, 3.0]),
    "an element": lambda agent, space: agent.position.__setitem__(slice(None), 3.0),
    "in place": lambda agent, space: np.add(agent.position, 2.0, out=agent.position),
    "all positions": lambda agent, space: space.agent_positions.__iadd__(2.0),
    "a view of a view": lambda agent, space: space.agent_positions[:, 0:2][0].__iadd__(2.0),
    "a view kept for long": lambda agent, space: agent.kept.__iadd__(2.0),
}


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_no_write_is_lost(write: Callable[[Any, Any], None]) -> None:
    space = spaces.ContinuousSpace([[0, 10], [0, 10]], random=random.Random(1))
    agent = mesa_space.ContinuousSpaceAgent(space, mesa.Model())
    agent.position = [1.0, 1.0]
    agent.kept = agent.position[:]
    assert space.get_agents_in_radius([1.0, 1.0], 0.5)[0] == [agent]
    write(agent, space)
    assert space.get_agents_in_radius([1.0, 1.0], 0.5)[0] == []
    assert space.get_agents_in_radius([3.0, 3.0], 0.5)[0] == [agent]


def test_agents_without_a_position_are_nowhere() -> None:
    space = spaces.ContinuousSpace([[0, 10], [0, 10]], random=random.Random(1))
    model = mesa.Model()
    agents = [mesa_space.ContinuousSpaceAgent(space, model) for _ in range(3)]
    space.agent_positions[:] = np.nan
    assert space.get_agents_in_radius([5, 5], 100)[0] == []
    assert space.get_k_nearest_agents([5, 5], 2)[0] == []
    agents[1].position = [2, 2]
    assert space.get_agents_in_radius([5, 5], 100)[0] == [agents[1]]
    assert space.get_k_nearest_agents([5, 5], 2)[0] == [agents[1]]
    agents[1].position[0] = np.inf
    agents[2].position = [4, 4]
    assert space.get_agents_in_radius([5, 5], 100)[0] == [agents[2]]
    assert space.get_agents_in_radius([5, 5], -1)[0] == []
    assert space.get_agents_in_radius([5, 5], np.nan)[0] == []


def test_other_dimensions_are_refused() -> None:
    with pytest.raises(ValueError, match="2 or 3 dimensions, not 4"):
        spaces.ContinuousSpace([[0, 1]] * 4, random=random.Random(1))


def flock(space: type, count: int) -> Any:
    """mesa's own example, as crowded as it is."""
    boids = pytest.importorskip(
        "mesa.examples.basic.boid_flockers.model", reason="this mesa comes without its examples"
    )
    side = 10 * count**0.5
    options = {"population_size": count, "width": side, "height": side}
    theirs = boids.ContinuousSpace
    boids.ContinuousSpace = space
    try:
        if hasattr(boids, "BoidsScenario"):
            return boids.BoidFlockers(scenario=boids.BoidsScenario(**options, rng=5))
        return boids.BoidFlockers(**options, seed=5)
    finally:
        boids.ContinuousSpace = theirs


def test_boid_flockers_are_equal_bit_for_bit() -> None:
    models = [flock(space, 400) for space in BOTH]
    for step in range(10):
        for model in models:
            model.step()
        one, two = (model.space.agent_positions for model in models)
        assert one.tobytes() == two.tobytes(), f"step {step}"
    assert isinstance(models[1].space, spaces.ContinuousSpace)


def test_a_space_is_pickled() -> None:
    space = spaces.ContinuousSpace([[0, 10], [0, 10]], random=random.Random(1))
    space.get_agents_in_radius([0, 0])
    assert pickle.loads(pickle.dumps(space)).get_agents_in_radius([5, 5], 9)[0] == []
