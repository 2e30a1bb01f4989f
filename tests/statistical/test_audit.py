"""The audit passes our mechanism and catches every known-broken one.

Error rates. Ours: an audit of a mechanism that keeps its promises fails with a probability of at
most 1e-6 (exact binomial limits, Bonferroni over 200). Zoo: the hardest member, a scale that is
10 % too small, slips through with a probability below 1e-6, computed below. The noise has no seed;
the attack's own chance has.
"""

import math

import numpy as np
import pytest

from hushmap.audit import DEFAULT_DRAWS, OURS, ZOO, audit, control
from hushmap.audit.intervals import lower_limit
from hushmap.audit.run import _MOST_CHECKS, FALSE_ALARMS
from hushmap.audit.suite import attacks
from hushmap.risk import epsilon_any

pytestmark = pytest.mark.statistical


@pytest.mark.parametrize("member", ZOO, ids=lambda member: member.mechanism.name)
def test_a_known_broken_mechanism_is_caught(member):
    check = control(member)
    assert check.holds, check
    assert check.low > check.claimed
    assert check.kind == "control"


def test_the_zoo_has_seven_members_of_different_names():
    assert len({member.mechanism.name for member in ZOO}) == len(ZOO) == 7
    names = [attack.name for attack in attacks()]
    for member in ZOO:
        assert any(name.startswith(member.tried_first) for name in names), member.tried_first


def test_our_mechanism_passes():
    report = audit(draws=10_000, controls=())
    broken = [check for check in report.checks if not check.holds]
    assert not broken
    tight = {
        check.name: check
        for check in report.of("promise")
        if check.name.endswith("(at worst)") and "attacker paper" not in check.name
    }
    assert len(tight) > 10
    for check in tight.values():  # the limit is not only kept but nearly reached
        assert check.high > check.claimed - 0.02, check
    slack = [check for check in report.checks if "attacker paper (at worst)" in check.name]
    assert all(check.high < check.claimed + 0.02 for check in slack)


def test_a_control_that_is_not_broken_is_reported_as_missed():
    from dataclasses import replace

    check = control(replace(ZOO[0], mechanism=OURS), draws=1_000)
    assert not check.holds


def test_the_hardest_control_slips_through_with_a_probability_below_one_in_a_million():
    """The strong attacker at the worst bin, risk 0.4: the noise has 9/10 of its scale.

    The bin is every count of at least n + 1. How many rounds fall into it is binomial, how many of
    those are hits is binomial given that; both tails are bounded from the definition.
    """
    risk, alpha = 0.4, FALSE_ALARMS / _MOST_CHECKS
    epsilon = epsilon_any(risk) / 0.9
    believed = (1 - risk) / 2
    reached = 1 / (1 + math.exp(-epsilon))  # by n + 1, and with 1 - that by n
    falls = believed * reached + (1 - believed) * (1 - reached)
    posterior = believed * reached / falls
    # So few rounds in the bin happen with a probability below 2e-7; more only sharpen the limit.
    least = int(falls * DEFAULT_DRAWS - 5.2 * math.sqrt(DEFAULT_DRAWS * falls * (1 - falls)))
    assert tail_below(least, DEFAULT_DRAWS, falls) < 2e-7
    caught = next(
        hits
        for hits in range(int(least * (believed + risk)), least + 1)
        if lower_limit(hits, least, alpha) > believed + risk
    )
    assert tail_below(caught, least, posterior) + 2e-7 < 1e-6


def tail_below(hits, trials, p):
    """Pr[Binomial(trials, p) < hits]."""
    log = [math.lgamma(trials + 1) - math.lgamma(k + 1) - math.lgamma(trials - k + 1)
           + k * math.log(p) + (trials - k) * math.log1p(-p) for k in range(hits)]  # fmt: skip
    return float(np.exp(log).sum())
