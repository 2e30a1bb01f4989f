"""How much and how long: every limit of the wizard in one place."""

from __future__ import annotations

from dataclasses import dataclass

DEFAULT_MAX_UPLOAD = "2GB"


@dataclass(frozen=True, slots=True)
class Limits:
    """What the wizard takes, and how long it waits.

    Attributes:
        upload: Bytes of a file that is uploaded; larger logs are named by their path.
        form: Bytes of any other form.
        stalled: Seconds without a byte after which an upload is given up.
        upload_time: Seconds that an upload may take in all.
        idle: Seconds after which a project that nobody looks at is wiped.
        projects: Projects at a time, over all windows.
        sessions: Browsers at a time.
        patience: Seconds that a page waits for work before it shows a progress bar.
    """

    upload: int = 2 * 10**9
    form: int = 256 * 1024
    stalled: float = 60.0
    upload_time: float = 3600.0
    idle: float = 8 * 3600.0
    projects: int = 64
    sessions: int = 64
    patience: float = 0.4
