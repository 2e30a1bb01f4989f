"""The seam where chance enters: discrete Laplace noise on integers, from two kinds of source (§5).

What is published takes its noise from `ReleaseNoise` (OpenDP, no seed). Plans, tests and
experiments take theirs from `SimulatedNoise` (NumPy, seeded). A function that publishes asks for
an `UnseededNoiseSource`, which the type checker does not let a simulation be.
"""

from hushmap.noise.release import ReleaseNoise
from hushmap.noise.simulated import SimulatedNoise
from hushmap.noise.source import NoiseSource, UnseededNoiseSource

__all__ = ["NoiseSource", "ReleaseNoise", "SimulatedNoise", "UnseededNoiseSource"]
