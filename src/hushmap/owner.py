"""What only the owner of a log may see, as a type: its repr tells nothing (pitfalls.md, 14)."""

from __future__ import annotations


class OwnerOnly:
    """Base of what holds exact figures of a log: printing or logging it shows its kind alone.

    A dataclass that derives from it says ``repr=False``, or it would get a repr of its own.

    Example:
        >>> OwnerOnly()
        OwnerOnly(owner only)
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return f"{type(self).__name__}(owner only)"
