"""Attacks on our own mechanism, and on known-broken ones: whoever promises must try to break it.

`bayesian` plays the strong attacker of method.md §2 with actual releases, `blackbox` tells
neighbouring logs apart without knowing anything, `zoo` holds the mechanisms that an audit must
catch, `suite` names what is attacked, and `audit` does it all.
"""

from hushmap.audit.checks import AuditReport, Check
from hushmap.audit.mechanism import OURS, Mechanism
from hushmap.audit.run import DEFAULT_DRAWS, audit, control
from hushmap.audit.zoo import ZOO

__all__ = [
    "DEFAULT_DRAWS",
    "OURS",
    "ZOO",
    "AuditReport",
    "Check",
    "Mechanism",
    "audit",
    "control",
]
