"""`audit`: all attacks on our own mechanism, the controls, and what is not promised."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from hushmap.audit.checks import AuditReport, Check
from hushmap.audit.mechanism import OURS
from hushmap.audit.suite import attacks
from hushmap.audit.unpromised import unpromised
from hushmap.audit.zoo import ZOO
from hushmap.exceptions import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hushmap.audit.mechanism import Mechanism
    from hushmap.audit.suite import Attack
    from hushmap.audit.zoo import Broken

DEFAULT_DRAWS = 50_000
"""Releases per check. At this number each of the zoo is caught, surely enough."""
LEAST_DRAWS = 100
FALSE_ALARMS = 1e-6
"""The probability that an audit of a mechanism that keeps its promises fails, at most."""
# So many limits may be compared in one audit; each may be wrong with that share of the above.
_MOST_CHECKS = 200
MOST_DRAWS = 5_000_000
# Of the attack's own chance: secrets, and which releases an event is chosen by. Never of noise.
_SEED = 20_201_030


def audit(
    *,
    draws: int = DEFAULT_DRAWS,
    more: Sequence[Attack] = (),
    controls: Sequence[Broken] = ZOO,
    seed: int = _SEED,
    on_step: Callable[[int, int], None] | None = None,
) -> AuditReport:
    """Attack the production path, the known-broken mechanisms, and what is not promised.

    A mechanism that keeps its promises fails with a probability of at most 1e-6, whatever the
    number of checks and draws. The noise is OpenDP's and has no seed.

    Args:
        draws: Releases per check. The controls always get the default number at least, at which
            each of them is caught with a probability above 1 - 1e-6.
        more: Attacks on the owner's own log, beside the built-in ones.
        controls: The known-broken mechanisms to be caught.
        seed: Of the attack's own randomness.
        on_step: Called with the attacks done and their number.

    Raises:
        UsageError: The number of draws is too small, or too large for the memory.

    Example:
        >>> audit(draws=1_000, controls=()).holds
        True
    """
    if not LEAST_DRAWS <= draws <= MOST_DRAWS:
        raise UsageError(
            f"--draws is {draws}.",
            hint=f"Write a whole number from {LEAST_DRAWS} to {MOST_DRAWS:,}: all are in memory.",
        )
    promises = [*more, *attacks()]
    beyond = unpromised()
    whole = len(promises) + len(controls) + len(beyond)
    checks: list[Check] = []
    done = 0
    for attack in promises:
        checks += _attacked(OURS, attack, draws, seed)
        done = _step(on_step, done, whole)
    for member in controls:
        checks.append(control(member, max(draws, DEFAULT_DRAWS), seed))
        done = _step(on_step, done, whole)
    for neighbours in beyond:
        checks += _attacked(OURS, neighbours, draws, seed)
        done = _step(on_step, done, whole)
    assert len(checks) <= _MOST_CHECKS
    return AuditReport(tuple(checks), draws)


def _step(on_step: Callable[[int, int], None] | None, done: int, whole: int) -> int:
    if on_step is not None:
        on_step(done + 1, whole)
    return done + 1


def _attacked(mechanism: Mechanism, attack: Attack, draws: int, seed: int) -> list[Check]:
    rng = np.random.default_rng(seed)
    return attack(mechanism, draws, rng, FALSE_ALARMS / _MOST_CHECKS)


def control(member: Broken, draws: int = DEFAULT_DRAWS, seed: int = _SEED) -> Check:
    """Attack a mechanism that is known to be broken, until one attack catches it.

    Args:
        member: Of the zoo.
        draws: Releases per check.
        seed: Of the attack's own randomness.

    Returns:
        The check that caught it; it holds if there is one.
    """
    suite = sorted(attacks(), key=lambda attack: not attack.name.startswith(member.tried_first))
    found: Check | None = None
    for attack in suite:
        for check in _attacked(member.mechanism, attack, draws, seed):
            if not check.holds:
                return _caught(member, check, caught=True)
            found = found or check
    assert found is not None
    return _caught(member, found, caught=False)


def _caught(member: Broken, check: Check, *, caught: bool) -> Check:
    name = f"control, {member.mechanism.name}: {check.name}"
    return replace(check, name=name, holds=caught, kind="control")
