"""What one window is working on: from a file to a bundle, step by step, all of it the owner's."""

from __future__ import annotations

import secrets
import shutil
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from hushmap.owner import OwnerOnly
from hushmap.web.wishes import Limit, Reading, Wish

if TYPE_CHECKING:
    from hushmap.exceptions import HushmapError
    from hushmap.graph import ExactGraph
    from hushmap.inspection import Inspection
    from hushmap.log import EventLog
    from hushmap.log.peek import Peek
    from hushmap.planning.plan import Plan
    from hushmap.planning.tradeoff import Tradeoff
    from hushmap.release.certificate import Certificate
    from hushmap.release.release import Release
    from hushmap.web.jobs import Job

STEPS = ("log", "columns", "protect", "review", "release")


@dataclass(frozen=True, slots=True)
class Source:
    """Where the log is.

    Attributes:
        path: Its path, or a glob.
        shown: What the owner calls it: the name of the file he uploaded, or the path he wrote.
        uploaded: Whether it is a copy in the private folder.
    """

    path: str
    shown: str
    uploaded: bool


@dataclass(frozen=True, slots=True, repr=False)
class Rehearsal(OwnerOnly):
    """What the owner sees before he draws.

    Attributes:
        limit: The limit it was made for.
        plan: The plan.
        certificate: As it would stand.
        picture: A simulated map as an SVG element.
    """

    limit: Limit
    plan: Plan
    certificate: Certificate
    picture: str


@dataclass(frozen=True, slots=True, repr=False)
class Bundle(OwnerOnly):
    """The files of a release.

    Attributes:
        public: By name.
        public_zip: All of them.
        owner_zip: The owner's half.
    """

    public: dict[str, bytes]
    public_zip: bytes
    owner_zip: bytes


class Project(OwnerOnly):
    """One window's work. Owner only; nothing of it outlives it.

    Args:
        identity: The id in its addresses.
        folder: Its private folder, wiped with it.

    Attributes:
        seed: Of the simulated draw: one for the whole project, so that looking twice shows the
            same; secret, because noise that can be computed again hides nothing.
        problem: Why the last work failed; until something else is asked for.
        ended: Whether it was wiped; what still works for it keeps nothing.
    """

    def __init__(self, identity: str, folder: Path) -> None:
        self.id = identity
        self.folder = folder
        self.seed = secrets.randbits(128)
        self.lock = threading.Lock()
        self.touched = time.monotonic()
        self.job: Job | None = None
        self.problem: HushmapError | None = None
        self.source: Source | None = None
        self.drawing = False
        self.ended = False
        self._reset()

    def _reset(self) -> None:
        self.reading = Reading()
        self.first: Peek | None = None
        self.log: EventLog | None = None
        self.inspection: Inspection | None = None
        self.wish = Wish()
        self.graph: ExactGraph | None = None
        self.made_with: tuple[object, ...] = ()
        self.tradeoff: Tradeoff | None = None
        self.limit: Limit | None = None
        self.rehearsal: Rehearsal | None = None
        self.release: Release | None = None
        self.bundle: Bundle | None = None

    def take(self, source: Source) -> None:
        """Begin with another log; an upload that it replaces is wiped."""
        earlier, self.source = self.source, source
        self.problem = None
        self._reset()
        if earlier is not None and earlier.uploaded:
            Path(earlier.path).unlink(missing_ok=True)

    def read_again(self, reading: Reading) -> None:
        """Read the same log in another way; what was chosen for its protection stays."""
        self.problem = None
        self.reading = reading
        self.log = self.inspection = self.graph = self.tradeoff = self.rehearsal = None
        self.made_with = ()

    def wish_for(self, wish: Wish) -> None:
        """Ask for something else."""
        self.problem = None
        self.wish = wish
        self.tradeoff = self.rehearsal = None

    def fix(self, limit: Limit) -> None:
        """Set the limit."""
        self.problem = None
        self.limit = limit
        self.rehearsal = None

    @property
    def busy(self) -> bool:
        """Whether something is being done."""
        return self.job is not None and self.job.running

    @property
    def done(self) -> bool:
        """Whether the draw was made, or is being made: from then on nothing may change."""
        return self.drawing or self.release is not None

    @property
    def reached(self) -> int:
        """How many steps are open."""
        if self.done:
            return 5
        if self.log is None:
            return 1 if self.first is None else 2
        return 4 if self.limit is not None and self.tradeoff is not None else 3

    def close(self) -> None:
        """Forget everything and wipe the files; work that is under way stops, and is lost."""
        self.ended = True
        if self.job is not None:
            self.job.abandon()
        self._reset()
        self.source = None
        shutil.rmtree(self.folder, ignore_errors=True)
