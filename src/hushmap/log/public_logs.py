"""The public event logs of the paper's evaluation: where they are, their terms and checksums.

The facts were gathered in November 2026 from public records that cite the logs' pages at
4TU.ResearchData; what could not be established is None. Nothing is downloaded.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING

from hushmap.exceptions import LogError

if TYPE_CHECKING:
    from pathlib import Path

_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class DistributedFile:
    """A file as its publisher distributes it; None where something is not known.

    Attributes:
        name: Its name.
        bytes: Its size.
        md5: Its checksum as the publisher states it, by the records of those who compared.
        sha256: Its checksum as those who downloaded it state it.
    """

    name: str
    bytes: int | None
    md5: str | None
    sha256: str | None

    def is_that(self, md5: str, sha256: str) -> bool:
        """Whether a file with these checksums is this one: by the stronger of those known."""
        return self.sha256 == sha256 if self.sha256 else self.md5 == md5


@dataclass(frozen=True, slots=True)
class PublicLog:
    """What is known of a public event log; None where it is not.

    Attributes:
        name: As the paper's tables call it.
        title: As its publisher calls it.
        about: What it is about.
        doi: Its digital object identifier.
        licence: The terms of use that its page names.
        files: What is distributed; several where it is a collection, none where not known.
        note: What else one needs to know.
    """

    name: str
    title: str
    about: str
    doi: str | None
    licence: str | None
    files: tuple[DistributedFile, ...]
    note: str | None

    @property
    def page(self) -> str | None:
        """Where to get it."""
        return None if self.doi is None else f"https://doi.org/{self.doi}"


def public_logs() -> tuple[PublicLog, ...]:
    """The 13 logs of the paper.

    Example:
        >>> [log.name for log in public_logs()][:3]
        ['BPIC12', 'BPIC13', 'BPIC14']
    """
    text = (files("hushmap.log") / "public_logs.json").read_text("utf-8")
    return tuple(
        PublicLog(**record | {"files": tuple(DistributedFile(**file) for file in record["files"])})
        for record in json.loads(text)
    )


def recognised(path: Path) -> tuple[PublicLog, DistributedFile] | None:
    """Which log, and file of it, a file is, by its checksum; None if it is none of those known.

    Args:
        path: The file as it was downloaded, not unpacked.

    Raises:
        LogError: The file cannot be read.
    """
    md5, sha256 = hashlib.md5(usedforsecurity=False), hashlib.sha256()
    try:
        with path.open("rb") as stream:
            while chunk := stream.read(_CHUNK):
                md5.update(chunk)
                sha256.update(chunk)
    except OSError as error:
        raise LogError(
            "The file cannot be read.", where=str(path), hint=error.strerror or "Check the path."
        ) from None
    for log in public_logs():
        for file in log.files:
            if file.is_that(md5.hexdigest(), sha256.hexdigest()):
                return log, file
    return None
