"""Sources of noise for the tests alone: recorded draws, of the type that a release asks for."""

from __future__ import annotations

from typing import Literal

import numpy as np


class RecordedNoise:
    """Gives the draws it was made with, in turn; stands in for OpenDP."""

    def __init__(self, *draws) -> None:
        self._draws = list(draws)

    @property
    def seeded(self) -> Literal[False]:
        return False

    def draw(self, epsilons):
        value = self._draws.pop(0)
        return np.broadcast_to(np.asarray(value, dtype=np.int64), np.shape(epsilons)).copy()


class Silence:
    """No noise at all: what the leak test plants."""

    seeded = False

    def draw(self, epsilons):
        return np.zeros(np.shape(epsilons), dtype=np.int64)
