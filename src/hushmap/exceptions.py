"""Every error that hushmap raises on purpose.

::

    HushmapError                    exit 1   the work failed
    ├── LogError                             the log cannot be read
    │   ├── ColumnError                      a column is missing, unknown or ambiguous
    │   ├── TimestampError                   times can be read in two ways, or in none
    │   ├── EmptyLogError                    no event is left to work on
    │   └── LogTooLargeError                 a file unpacks to more than the limit
    ├── EngineError                          the engine could not finish
    │   └── EngineMemoryError                the memory limit is too small
    ├── NoiseError                           the sampler saturated; nothing was released
    ├── BundleError                          a bundle cannot be written or read
    │   └── TamperedBundleError              a file, or the certificate, is not as it was written
    ├── UsageError                  exit 2   a parameter is outside its legal range
    └── RefusedError                exit 3   the work would break its own promise
        ├── UnreachableLimitError            no noise scale meets the limit
        └── LeakRefusedError                 what was asked for would give a secret away

An error says what was given, what is legal and what to do next. It never holds a case id, a
duration or a count of the log: what only the owner may see goes into ``owner_details``, which
``str()`` leaves out and the command line prints with ``--owner-details`` alone.
"""

from __future__ import annotations


class HushmapError(Exception):
    """The base of all errors of hushmap.

    Attributes:
        what: What went wrong, in one sentence.
        where: The file, row or column, if there is one.
        hint: What to do next.
        owner_details: Exact values that only the owner of the log may see; not in ``str()``.

    Example:
        >>> error = HushmapError("The log is empty.", where="log.csv", hint="Check the filter.",
        ...                      owner_details="case 17")
        >>> print(error)
        The log is empty.
        Where: log.csv
        Hint: Check the filter.
    """

    exit_status = 1

    def __init__(
        self,
        what: str,
        *,
        where: str | None = None,
        hint: str | None = None,
        owner_details: str | None = None,
    ) -> None:
        self.what = what
        self.where = where
        self.hint = hint
        self.owner_details = owner_details
        lines = [what]
        if where:
            lines.append(f"Where: {where}")
        if hint:
            lines.append(f"Hint: {hint}")
        super().__init__("\n".join(lines))


class LogError(HushmapError):
    """The event log cannot be read."""


class ColumnError(LogError):
    """A column is missing, unknown or ambiguous."""


class TimestampError(LogError):
    """The times can be read in two ways, or in none."""


class EmptyLogError(LogError):
    """No event is left to work on."""


class LogTooLargeError(LogError):
    """A file unpacks to more than the limit allows."""


class EngineError(HushmapError):
    """The engine could not finish."""


class EngineMemoryError(EngineError):
    """The memory limit, or the disk it spills to, is too small for the log."""


class NoiseError(HushmapError):
    """The noise sampler saturated or answered nonsense; nothing was released."""


class BundleError(HushmapError):
    """A bundle cannot be written or read."""


class TamperedBundleError(BundleError):
    """A file of a bundle, or its certificate, is not as hushmap wrote it."""


class UsageError(HushmapError):
    """A parameter is outside its legal range, or two contradict each other."""

    exit_status = 2


class RefusedError(HushmapError):
    """The work would break its own promise, so it is not done."""

    exit_status = 3


class UnreachableLimitError(RefusedError):
    """No amount of noise meets the limit that was asked for."""


class LeakRefusedError(RefusedError):
    """What was asked for would give away what it is meant to protect."""
