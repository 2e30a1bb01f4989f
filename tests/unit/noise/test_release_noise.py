"""The noise of a release: always finite, never saturated, never seeded, always what was asked."""

from __future__ import annotations

import inspect
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hushmap.noise.release as release_module
import hushmap.noise.source as source_module
from hushmap.exceptions import NoiseError, RefusedError, UsageError
from hushmap.noise import ReleaseNoise, SimulatedNoise
from hushmap.noise.release import scales

SOURCES = pytest.mark.parametrize("source", [ReleaseNoise(), SimulatedNoise(seed=1)], ids=type)
INT64 = np.iinfo(np.int64)


@SOURCES
@pytest.mark.parametrize(
    "epsilons",
    [
        [],
        [0.5, float("nan")],
        [float("inf")],
        [0.0],
        [0.5, -0.5],
        0.5,
        [[0.5, 0.5]],
        ["a"],
        [None],
        [1j],
    ],
)
def test_a_rate_that_means_nothing_is_refused_before_the_draw(source, epsilons):
    with pytest.raises(UsageError):
        source.draw(epsilons)


@SOURCES
@pytest.mark.parametrize("epsilon", [1e-17, 99.9 / 2**63, 1e-300, 5e-324])
def test_noise_wider_than_64_bits_is_refused_without_naming_the_rate(source, epsilon):
    with pytest.raises(RefusedError) as caught:
        source.draw([0.5, epsilon])
    assert caught.value.exit_status == 3
    assert "too wide" in str(caught.value)
    assert "e-" not in str(caught.value)


@SOURCES
def test_the_widest_noise_allowed_is_drawn(source):
    noise = source.draw([100 / 2**63] * 50)
    assert noise.dtype == np.int64
    # Each draw is this small with a probability of 1e-9.
    assert np.all(np.abs(noise) > 2**63 // 100 // 10**9)


def test_the_real_sampler_saturates_where_nobody_guards_it():
    """The trap is real: at a huge scale OpenDP answers the ends of the range and no error."""
    draws = release_module._sample(1e30, 200)
    assert set(draws) == {INT64.min, INT64.max}


def test_a_saturated_draw_of_the_real_sampler_is_an_error(monkeypatch):
    monkeypatch.setattr(source_module, "LEAST_EPSILON", 0.0)
    with pytest.raises(NoiseError, match="end of its 64-bit range"):
        ReleaseNoise().draw([0.5, 1e-30])


@pytest.mark.parametrize("end", [INT64.min, INT64.max])
def test_a_single_draw_at_either_end_of_the_range_is_an_error(monkeypatch, end):
    monkeypatch.setattr(release_module, "_sample", lambda _, count: [3] * (count - 1) + [end])
    with pytest.raises(NoiseError):
        ReleaseNoise().draw([0.5] * 4)


@pytest.mark.parametrize("answer", [[1], [1, 2, 3], [1, 2.5], [1, 2**70], [], [None, None]])
def test_an_answer_that_is_not_one_integer_per_edge_is_an_error(monkeypatch, answer):
    monkeypatch.setattr(release_module, "_sample", lambda *_: answer)
    with pytest.raises(NoiseError):
        ReleaseNoise().draw([0.5, 0.5])


@settings(derandomize=True, deadline=None, max_examples=500)
@given(st.floats(min_value=100 / 2**63, max_value=1e12))
def test_the_scale_is_never_below_the_one_promised(epsilon):
    scale = Fraction(float(scales(np.array([epsilon]))[0]))
    assert scale * Fraction(epsilon) >= 1
    assert scale * Fraction(epsilon) <= 1 + Fraction(1, 10**15)


def test_the_nearest_float_would_promise_too_much():
    assert Fraction(1.0 / 3.0) * 3 < 1


def test_the_scale_that_reaches_the_sampler_is_the_rounded_one(monkeypatch):
    asked = []
    monkeypatch.setattr(
        release_module, "_sample", lambda scale, count: asked.append((scale, count)) or [0] * count
    )
    ReleaseNoise().draw([3.0, 0.1, 3.0, 0.7, 3.0])
    assert len(asked) == 3
    assert sorted(count for _, count in asked) == [1, 1, 3]
    for (scale, _), epsilon in zip(asked, sorted({3.0, 0.1, 0.7}), strict=True):
        assert Fraction(scale) * Fraction(epsilon) >= 1


def test_every_edge_gets_the_noise_of_its_own_rate():
    """Edges are drawn in groups of equal rate: each draw must find its way back."""
    epsilons = np.array([1e4, 1e-12, 1e4, 1e-6, 1e4, 1e-12, 1e-6, 1e-12])
    noise = ReleaseNoise().draw(epsilons)
    assert np.all(noise[epsilons == 1e4] == 0)
    # Fails by chance with a probability of 2e-7.
    wide, middle = np.abs(noise[epsilons == 1e-12]), np.abs(noise[epsilons == 1e-6])
    assert np.all(wide > 5e4)
    assert np.all(middle < 5e7)
    assert len(set(wide.tolist())) == wide.size


def test_a_huge_rate_gives_no_noise_and_no_error():
    assert ReleaseNoise().draw([1e4, 1e300, 1e-3 + 1e4]).tolist() == [0, 0, 0]


def test_distinct_draws_follow_each_other():
    source = ReleaseNoise()
    assert source.draw([1e-12] * 20).tolist() != source.draw([1e-12] * 20).tolist()


def test_nothing_about_a_release_can_be_seeded():
    assert not inspect.signature(ReleaseNoise).parameters
    assert list(inspect.signature(ReleaseNoise.draw).parameters) == ["self", "epsilons"]
    assert ReleaseNoise().seeded is False
    np.random.seed(1)  # noqa: NPY002 - the global seed of the careless must change nothing
    first = ReleaseNoise().draw([1e-12] * 20).tolist()
    np.random.seed(1)  # noqa: NPY002
    assert ReleaseNoise().draw([1e-12] * 20).tolist() != first


def test_opendp_is_imported_only_for_a_draw_and_never_its_prelude():
    program = (
        "import sys, hushmap.noise as noise\n"
        "assert not [m for m in sys.modules if m.startswith('opendp')]\n"
        "noise.ReleaseNoise().draw([0.5])\n"
        "assert 'opendp' in sys.modules\n"
        "assert 'opendp.prelude' not in sys.modules and 'sklearn' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)
