"""A published bundle, read back and checked: for whoever receives it.

Everything in the directory is taken to be written by a stranger. The hashes show that the files
are those the certificate was made for. `certificate.json`, which cannot hold its own hash, is held
against `certificate.html`, which it names and which carries its fingerprint; against what follows
from its own fields; and, where this version wrote it, against what this version writes. Nothing is
signed: whoever rewrites every file and every hash is not found out.
"""

from __future__ import annotations

import hashlib
import os
import stat
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hushmap.bundle.certificate_html import PAGE, certificate_html, fingerprint_in
from hushmap.bundle.certificate_json import (
    certificate_json,
    certificate_record,
    fingerprint,
    read_certificate,
)
from hushmap.bundle.checks import MAX_JSON_BYTES, check_fit, is_file_name, resolution_of
from hushmap.bundle.consistency import check_consistent
from hushmap.bundle.map_json import read_map
from hushmap.bundle.strict_json import shown
from hushmap.exceptions import BundleError, TamperedBundleError

if TYPE_CHECKING:
    from hushmap.graph import ReleasedGraph
    from hushmap.release.certificate import Certificate

MAX_FILE_BYTES = 256 * 1024 * 1024
MAX_CERTIFICATE_BYTES = 4 * 1024 * 1024
MAX_FILES = 1000
_CHUNK = 1024 * 1024
_CERTIFICATE = "certificate.json"
_FRESH = "Ask for a fresh copy of the bundle, and change nothing in it."


@dataclass(frozen=True, slots=True, repr=False)
class PublicRelease:
    """A published map with its certificate, as received.

    Attributes:
        graph: The map.
        certificate: What it promises.

    Example:
        >>> import tempfile, hushmap as hm
        >>> graph = hm.discover(hm.read_log("examples/hospital.csv"))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     written = hm.release(hm.plan(graph, max_risk=0.2)).write(folder)
        ...     bundle = hm.read_release(folder)
        >>> len(bundle.graph.edges), bundle.certificate.risk
        (8, 0.2)
    """

    graph: ReleasedGraph
    certificate: Certificate

    def records(self) -> list[dict[str, Any]]:
        """One dictionary per edge: source, target, and each annotation the edge has."""
        return self.graph.records()

    def summary(self) -> dict[str, Any]:
        """What the bundle holds, in the words of `certificate.json`."""
        return {
            "activities": len(self.graph.activities),
            "edges": len(self.graph.edges),
            "certificate": certificate_record(self.certificate),
        }

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        """The map with its promise, for notebooks; what the noise may hide is faint."""
        del include, exclude
        from hushmap.picture import mime_bundle

        return {**mime_bundle(self.graph, self.certificate), "text/plain": repr(self)}

    def __repr__(self) -> str:
        certificate = self.certificate
        limit = "risk" if certificate.problem == "max_risk" else "error"
        return (
            f"PublicRelease({len(self.graph.activities)} activities, "
            f"{len(self.graph.edges)} edges; {', '.join(certificate.annotations)}; "
            f"{limit} at most {certificate.limit:g}, {certificate.date})"
        )


def read_release(directory: Path | str) -> PublicRelease:
    """Read a published bundle back, and check every file against its certificate.

    Args:
        directory: The `public/` of a bundle, or the directory above it.

    Raises:
        TamperedBundleError: A file or the certificate was changed, or a file is missing or was
            added.
        BundleError: There is no bundle, or none that this version can read.

    Example:
        >>> try:
        ...     read_release("examples")
        ... except BundleError as error:
        ...     print(error.exit_status)
        1
    """
    public = _public(Path(directory))
    try:
        written = _read(public, _CERTIFICATE, MAX_CERTIFICATE_BYTES)
        certificate = read_certificate(written)
        content, page = _verified(public, certificate)
        graph = read_map(content, resolution_of(certificate))
        check_fit(graph, certificate)
        check_consistent(certificate)
        _check_certificate(written, page, certificate, graph)
    except BundleError as error:
        where = f"{public}{os.sep}{error.where}" if error.where else str(public)
        raise type(error)(error.what, where=where, hint=error.hint) from None
    except OSError as error:
        raise BundleError(
            f"The bundle cannot be read: {error.strerror or type(error).__name__}.",
            where=str(public),
        ) from error
    return PublicRelease(graph, certificate)


def _public(directory: Path) -> Path:
    """The `public/` that is meant."""
    closed = None
    for place in (directory, directory / "public"):
        try:
            found = stat.S_ISREG((place / _CERTIFICATE).lstat().st_mode)
        except PermissionError:
            found, closed = False, closed or place
        except (OSError, ValueError):
            found = False
        if found and (place is directory or not place.is_symlink()):
            return place
    if closed is not None:
        raise BundleError(
            "The bundle cannot be read: Permission denied.",
            where=str(closed),
            hint="Give yourself the permission to read the directory (chmod u+rx), or ask whoever "
            "owns it.",
        )
    raise BundleError(
        "There is no published bundle here: certificate.json is missing.",
        where=str(directory),
        hint="Name the directory that hushmap release wrote, or its public/.",
    )


def is_of_this_version(certificate: Certificate) -> bool:
    """Whether this version wrote it, so that its page can be made again and compared."""
    return certificate.version == version("hushmap")


def what_was_checked(certificate: Certificate) -> tuple[str, ...]:
    """What `read_release` found out about a bundle, and what it cannot tell, in sentences.

    Args:
        certificate: As read.
    """
    files = f"All {len(certificate.files)} files are as they were released"
    if is_of_this_version(certificate):
        found = f"{files}, and so is the certificate: every hash was checked, and {PAGE} rendered "
        found += "again and compared."
    else:
        found = f"{files}: every hash was checked. This is hushmap {version('hushmap')}; pages of "
        found += "another version are not rendered again and compared."
    unsigned = (
        "Nothing is signed: somebody who rewrites every file and every hash goes unnoticed. Get "
        "the certificate, or its hash, by a way you trust."
    )
    return found, unsigned


def _check_certificate(
    written: bytes, page: bytes, certificate: Certificate, graph: ReleasedGraph
) -> None:
    """Whether `certificate.json` is the one that `certificate.html` was made with, to the byte."""
    listed = dict(certificate.files)
    if fingerprint_in(page) != fingerprint(written, listed[PAGE]):
        raise TamperedBundleError(
            f"{_CERTIFICATE} is not the file that {PAGE} was made with: one of them was changed.",
            where=_CERTIFICATE,
            hint=_FRESH,
        )
    if not is_of_this_version(certificate):
        return
    if certificate_json(certificate) != written:
        raise TamperedBundleError(
            f"{_CERTIFICATE} is not written as hushmap {certificate.version} writes it.",
            where=_CERTIFICATE,
            hint=_FRESH,
        )
    del listed[PAGE]
    if certificate_html(certificate, graph, listed) != page:
        raise TamperedBundleError(
            f"{PAGE} is not the page that hushmap {certificate.version} makes of {_CERTIFICATE} "
            "and the map.",
            where=PAGE,
            hint=_FRESH,
        )


def _verified(public: Path, certificate: Certificate) -> tuple[bytes, bytes]:
    """Check the hash of every file; `map.json` and `certificate.html`, as they were checked."""
    listed = certificate.files
    for name in ("map.json", PAGE):
        if name not in listed:
            raise BundleError(f"The certificate names no {name}.", where=_CERTIFICATE)
    if len(listed) > MAX_FILES:
        raise BundleError(f"The certificate names {len(listed)} files.", where=_CERTIFICATE)
    for name in listed:
        if not is_file_name(name) or name == _CERTIFICATE:
            raise BundleError(
                f"The certificate names the file {shown(name)}, which is no name of a file of a "
                "bundle.",
                where=_CERTIFICATE,
            )
    found = {entry.name for entry in public.iterdir()}
    for name in sorted(found - {*listed, _CERTIFICATE}):
        raise TamperedBundleError(
            f"{shown(name)} is not named in the certificate.",
            hint="Take it out of the directory, or ask for a fresh copy.",
        )
    for name in sorted(set(listed) - found):
        raise TamperedBundleError(f"{name} is missing.", hint=_FRESH)
    for name in sorted(set(listed) - {"map.json", PAGE}):
        _compare(name, _hash(public, name), listed)
    content = _read(public, "map.json", MAX_JSON_BYTES)
    page = _read(public, PAGE, MAX_FILE_BYTES)
    for name, checked in (("map.json", content), (PAGE, page)):
        _compare(name, hashlib.sha256(checked).hexdigest(), listed)
    return content, page


def _compare(name: str, digest: str, listed: Any) -> None:  # noqa: ANN401
    if digest != listed[name]:
        raise TamperedBundleError(
            f"{name} is not the file that the certificate was made for: its SHA-256 differs.",
            where=name,
            hint=_FRESH,
        )


def _open(public: Path, name: str, limit: int) -> int:
    """A handle of a regular file in the directory itself, not larger than the limit."""
    path = public / name
    if path.is_symlink():
        raise TamperedBundleError(f"{name} is a symbolic link.", hint=_FRESH)
    # A link made since is not followed, and a pipe does not block.
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    handle = os.open(path, flags | getattr(os, "O_BINARY", 0))
    try:
        _check_status(name, os.fstat(handle), limit)
    except BaseException:
        os.close(handle)
        raise
    return handle


def _check_status(name: str, status: os.stat_result, limit: int) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise TamperedBundleError(f"{name} is no file.", hint=_FRESH)
    if status.st_size > limit:
        raise BundleError(
            f"{name} is larger than {limit // 1024 // 1024} MiB.",
            hint="hushmap writes no file of this size.",
        )


def _read(public: Path, name: str, limit: int) -> bytes:
    with os.fdopen(_open(public, name, limit), "rb") as file:
        content = file.read(limit + 1)
    if len(content) > limit:
        raise BundleError(f"{name} grows while it is read.")
    return content


def _hash(public: Path, name: str) -> str:
    digest = hashlib.sha256()
    with os.fdopen(_open(public, name, MAX_FILE_BYTES), "rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()
