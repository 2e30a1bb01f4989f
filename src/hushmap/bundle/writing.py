"""A bundle on disk: `public/` for anyone, `owner/` for nobody else, and never half of either.

Everything is written beside the place where it will stand, in a directory that only its owner can
enter, flushed to the disk, and renamed into place. A new bundle appears in one step. Where the
directory must stay the one it is (something stands in it, it is the working directory, or something
is mounted there), `public/` leaves first and arrives last: where there is a `public/`, the bundle
is whole.
"""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import stat
import tempfile
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from hushmap.bundle.certificate_html import PAGE, certificate_html
from hushmap.bundle.certificate_json import certificate_json, read_certificate
from hushmap.bundle.checks import MAX_JSON_BYTES, check_fit, check_graph, is_file_name
from hushmap.bundle.consistency import check_consistent
from hushmap.bundle.earlier import check_replaceable, named_directory
from hushmap.bundle.map_csv import map_csv
from hushmap.bundle.map_dfg import map_dfg
from hushmap.bundle.map_dot import map_dot
from hushmap.bundle.map_graphml import map_graphml
from hushmap.bundle.map_json import map_json, read_map
from hushmap.bundle.owner import report_csv, report_json
from hushmap.exceptions import BundleError
from hushmap.graph import Annotation, ReleasedGraph
from hushmap.release.certificate import Certificate

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from hushmap.release.report import OwnerReport

PUBLIC = "public"
OWNER = "owner"
_EARLIER = "earlier"
_OWNER_DIRECTORY_MODE = 0o700
_OWNER_FILE_MODE = 0o600


@dataclass(frozen=True, slots=True)
class WrittenBundle:
    """Where a bundle was written.

    Attributes:
        directory: The directory of the bundle.
        public: The files that may be published.
        owner: The files that may not.
        certificate: As written, with the hashes of the public files.
    """

    directory: Path
    public: tuple[Path, ...]
    owner: tuple[Path, ...]
    certificate: Certificate


def public_files(
    graph: ReleasedGraph, certificate: Certificate, extra: Mapping[str, bytes]
) -> tuple[dict[str, bytes], Certificate]:
    """The files of `public/`, and the certificate with their hashes.

    `certificate.html` names the hashes of the map's files; `certificate.json` those of all files
    but itself, the page among them.

    Args:
        graph: What is shown.
        certificate: What is promised.
        extra: More files to publish, such as pictures, made of the released graph.

    Raises:
        BundleError: The map and the certificate do not fit, or a name is taken.
    """
    if type(graph) is not ReleasedGraph or type(certificate) is not Certificate:
        raise TypeError("only a ReleasedGraph and its Certificate can be written as public")
    check_graph(graph)
    check_fit(graph, certificate)
    files = {
        "map.json": map_json(graph),
        "map.csv": map_csv(graph),
        "map.graphml": map_graphml(graph),
        "map.dot": map_dot(graph),
    }
    if Annotation.FREQUENCY in graph.annotations:
        files["map.dfg"] = map_dfg(graph)
    _add(files, extra, taken={"certificate.json", PAGE})
    files[PAGE] = certificate_html(certificate, graph, _hashes(files))
    certified = replace(certificate, files=_hashes(files))
    files["certificate.json"] = certificate_json(certified)
    # What is published must be readable by whoever receives it.
    if len(files["map.json"]) > MAX_JSON_BYTES:
        raise BundleError("The map is too large: hushmap could not read it back.")
    check_consistent(read_certificate(files["certificate.json"]))
    read_map(files["map.json"], graph.resolution)
    return dict(sorted(files.items())), certified


def owner_files(report: OwnerReport, extra: Mapping[str, bytes]) -> dict[str, bytes]:
    """The files of `owner/`.

    Args:
        report: Exact against released.
        extra: More files for the owner.
    """
    files = {"report.csv": report_csv(report)}
    _add(files, extra, taken={"report.json"})
    files["report.json"] = report_json(report, [*files, "report.json"])
    return dict(sorted(files.items()))


def _add(files: dict[str, bytes], extra: Mapping[str, bytes], taken: set[str]) -> None:
    names = {name.lower() for name in files} | taken
    for name, content in extra.items():
        if not is_file_name(name) or name.lower() in names:
            raise BundleError(f"No file of a bundle can be named {name!r}.")
        names.add(name.lower())
        files[name] = bytes(content)


def _hashes(files: Mapping[str, bytes]) -> dict[str, str]:
    return {name: hashlib.sha256(content).hexdigest() for name, content in sorted(files.items())}


def write_bundle(
    out: Path | str,
    graph: ReleasedGraph,
    certificate: Certificate,
    report: OwnerReport,
    *,
    overwrite: bool = False,
    extra_public: Mapping[str, bytes] | None = None,
    extra_owner: Mapping[str, bytes] | None = None,
) -> WrittenBundle:
    """Write a bundle: all of it, or nothing.

    Args:
        out: The directory of the bundle. It is made if it does not exist, and must be empty if it
            does, unless ``overwrite``.
        graph: What is shown.
        certificate: What is promised; the hashes of the files are added to it.
        report: What the owner sees.
        overwrite: Replace the bundle that stands there already. Nothing but a bundle is replaced;
            other files stay beside it.
        extra_public: More files to publish, made of the released graph alone; hashed too.
        extra_owner: More files for the owner.

    Raises:
        UsageError: The directory has no name.
        BundleError: The directory is not empty or cannot be written.
    """
    named = named_directory(out)
    public, certified = public_files(graph, certificate, extra_public or {})
    owner = owner_files(report, extra_owner or {})
    made: list[Path] = []
    try:
        directory = _absolute(named)
        occupied = check_replaceable(directory, overwrite=overwrite)
        with _parents(directory, made):
            _write(directory, public, owner, made, in_place=occupied or _must_stay(directory))
    except OSError as error:
        raise BundleError(
            f"The bundle cannot be written: {error.strerror or type(error).__name__}.",
            where=str(out),
            hint=f"Name a directory with --out that you may write to. {_left_behind(made)}",
        ) from error
    if os.path.lexists(made[-1]):
        raise BundleError(
            "The bundle was written, but the directory that it was prepared in cannot be removed.",
            where=str(made[-1]),
            hint="Remove it: it may hold exact figures.",
        )
    return WrittenBundle(
        directory,
        tuple(directory / PUBLIC / name for name in public),
        tuple(directory / OWNER / name for name in owner),
        certified,
    )


def _absolute(out: Path) -> Path:
    """The directory by its own name, its parents resolved; a link in its place stays one."""
    if "\0" in str(out):
        raise OSError(errno.EINVAL, "this is no path")
    try:
        if out.name in {"", ".."}:
            return out.resolve()
        return out.parent.resolve() / out.name
    except RuntimeError as error:
        raise OSError(errno.ELOOP, "links that lead in a circle") from error


def _left_behind(made: list[Path]) -> str:
    """What is still there of what a failed attempt made."""
    left = [str(path) for path in made if os.path.lexists(path)]
    if not left:
        return "Nothing was left behind."
    return f"Remove what was left behind, which may hold exact figures: {', '.join(left)}"


@contextmanager
def _parents(directory: Path, made: list[Path]) -> Iterator[None]:
    """Make the parents of a directory, and take them away again if what follows fails.

    Args:
        directory: The directory.
        made: What was made is added to it.
    """
    missing = [parent for parent in directory.parents if not parent.exists()]
    try:
        for parent in reversed(missing):
            parent.mkdir()
            made.append(parent)
        yield
    except BaseException:
        with suppress(OSError):
            for parent in missing:
                if parent in made:
                    parent.rmdir()
        raise


def _must_stay(directory: Path) -> bool:
    """Whether an empty directory cannot be exchanged for another of the same name."""
    if not directory.exists():
        return False
    return (
        os.name != "posix"
        or directory.is_mount()
        or directory.samefile(Path.cwd())
        or not os.access(directory.parent, os.W_OK)
    )


def _write(
    directory: Path,
    public: Mapping[str, bytes],
    owner: Mapping[str, bytes],
    made: list[Path],
    *,
    in_place: bool,
) -> None:
    staging = Path(
        tempfile.mkdtemp(prefix=".hushmap-", dir=directory if in_place else directory.parent)
    )
    made.append(staging)
    in_its_place = False
    try:
        _set_mode(staging, _mode(staging) | _OWNER_DIRECTORY_MODE)  # whatever the umask
        bundle = staging / "bundle"
        bundle.mkdir()
        mode = _mode(directory if directory.exists() else bundle)
        _set_mode(bundle, _mode(bundle) | _OWNER_DIRECTORY_MODE)
        _write_owner(bundle / OWNER, owner)
        _write_public(bundle / PUBLIC, public)
        _flush_directory(bundle)
        if in_place:
            _exchange_parts(bundle, directory, staging)
        else:
            # What its owner could not write to could be neither moved nor removed.
            _set_mode(bundle, mode | _OWNER_DIRECTORY_MODE)
            os.rename(bundle, directory)  # noqa: PTH104  (atomic, and says so)
            with suppress(OSError):  # it is there, and no more open than it was
                _set_mode(directory, mode)
        in_its_place = True
        _flush_directory(directory if in_place else directory.parent)
    finally:
        # A bundle that was to be replaced and could not be put back is still in there.
        if in_its_place or not _holds_earlier(staging):
            _remove(staging)


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def _set_mode(path: Path, mode: int) -> None:
    if _mode(path) != mode:
        path.chmod(mode)


def _holds_earlier(staging: Path) -> bool:
    earlier = staging / _EARLIER
    return earlier.exists() and any(earlier.iterdir())


def _remove(directory: Path) -> None:
    """Remove a directory with all that is in it, whatever mode a part of it has."""
    with suppress(OSError):
        for folder, names, _ in os.walk(directory):
            for name in names:
                path = Path(folder, name)
                if not path.is_symlink():
                    _set_mode(path, _OWNER_DIRECTORY_MODE)
    shutil.rmtree(directory, ignore_errors=True)


def _write_public(directory: Path, files: Mapping[str, bytes]) -> None:
    directory.mkdir()
    for name, content in files.items():
        with (directory / name).open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
    _flush_directory(directory)


def _write_owner(directory: Path, files: Mapping[str, bytes]) -> None:
    """Closed to all others from the first moment, whatever the umask."""
    directory.mkdir(_OWNER_DIRECTORY_MODE)
    directory.chmod(_OWNER_DIRECTORY_MODE)
    for name, content in files.items():
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        with os.fdopen(os.open(directory / name, flags, _OWNER_FILE_MODE), "wb") as file:
            (directory / name).chmod(_OWNER_FILE_MODE)
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
    _flush_directory(directory)


def _flush_directory(directory: Path) -> None:
    """Flush the names in a directory, where the system knows how."""
    with suppress(OSError):
        handle = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _exchange_parts(bundle: Path, directory: Path, staging: Path) -> None:
    """Put the two halves into a directory that stays, `public/` last; undo it all on failure."""
    earlier = staging / _EARLIER
    earlier.mkdir()
    moves = [
        (directory / part, earlier / part)
        for part in (PUBLIC, OWNER)
        if (directory / part).exists()
    ]
    moves += [(bundle / part, directory / part) for part in (OWNER, PUBLIC)]
    done: list[tuple[Path, Path]] = []
    try:
        for here, there in moves:
            os.rename(here, there)  # noqa: PTH104
            done.append((here, there))
    except BaseException:
        for here, there in reversed(done):
            os.rename(there, here)  # noqa: PTH104
        raise
