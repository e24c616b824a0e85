"""A plugin of pytest: mesa's own tests of its continuous space test pyquadrille.mesa instead."""

import mesa.experimental.continuous_space

import pyquadrille.mesa

# The tests have few agents.
pyquadrille.mesa.FEW = 0
mesa.experimental.continuous_space.ContinuousSpace = pyquadrille.mesa.ContinuousSpace
