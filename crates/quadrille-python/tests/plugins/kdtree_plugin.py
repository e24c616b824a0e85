"""A plugin of pytest: scipy's own tests of its KDTree test pyquadrille.kdtree instead."""

import re

import pytest
import scipy.spatial

import pyquadrille.kdtree

scipy.spatial.KDTree = pyquadrille.kdtree.KDTree

# They ask scipy's classes, or none.
OTHERS = r"cKDTree|ckdtree_(view|memuse)|Test_rectangle|test_distance_"

METRIC = "other metrics than the Euclidean"
NODES = "the nodes of scipy's tree"
THREADS = "workers changes nothing"
COPY = "data is a copy always"
EPS = "answers are exact whatever eps is"

# By patterns of their names. One of these that passes fails, too: then the list is out of date.
CANNOT_PASS = {
    r"test_points_near_l(1|inf)": METRIC,
    r"(ball|trees)_(l1|linf|linf_periodic|largep_issue9890)_KDTree": METRIC,
    r"test_kdtree_box(_0boxsize)?\[": METRIC,
    r"test_kdtree_(comparisons|weights|duplicated_inputs|tree_access)": NODES,
    r"test_ckdtree_parallel": THREADS,
    r"test_kdtree_attributes": COPY,
    r"test_query_pairs_eps": EPS,
}


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    others = [item for item in items if re.search(OTHERS, item.nodeid)]
    config.hook.pytest_deselected(items=others)
    items[:] = [item for item in items if item not in others]
    for item in items:
        for name, reason in CANNOT_PASS.items():
            if re.search(name, item.nodeid):
                item.add_marker(pytest.mark.xfail(strict=True, reason=reason))
