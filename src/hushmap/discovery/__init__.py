"""From an event log to the exact graph: one query, any engine."""

from hushmap.discovery.discover import discover
from hushmap.discovery.transitions import from_transitions

__all__ = ["discover", "from_transitions"]
