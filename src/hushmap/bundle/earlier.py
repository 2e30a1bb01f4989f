"""What may stand where a bundle is to be written: nothing, or an earlier bundle and no more."""

from __future__ import annotations

import stat
from typing import TYPE_CHECKING

from hushmap.bundle.certificate_json import read_certificate
from hushmap.bundle.strict_json import check_format, shown, strict_json
from hushmap.exceptions import BundleError
from hushmap.release.report import REPORT_FORMAT

if TYPE_CHECKING:
    from pathlib import Path

_HINT = "Name an empty or new directory with --out."
_MAX_BYTES = 256 * 1024 * 1024


def check_replaceable(directory: Path, *, overwrite: bool) -> bool:
    """Whether an earlier bundle stands in a directory that may be written to.

    Args:
        directory: Where the bundle is to be written.
        overwrite: Whether an earlier bundle may be replaced.

    Returns:
        True if there is a bundle to replace; False if the directory is empty or absent.

    Raises:
        BundleError: Something else stands there, or a bundle that may not be replaced.
    """
    if directory.is_symlink():
        raise BundleError(
            "The directory is a symbolic link.",
            where=str(directory),
            hint="Name with --out the directory that it leads to.",
        )
    if not directory.exists():
        return False
    if not directory.is_dir():
        raise BundleError("This is a file, not a directory.", where=str(directory), hint=_HINT)
    entries = sorted(entry.name for entry in directory.iterdir())
    if not entries:
        return False
    if not overwrite:
        raise BundleError(
            "The directory is not empty.",
            where=str(directory),
            hint="Name another with --out, or replace an earlier bundle with --overwrite.",
        )
    foreign = [name for name in entries if name not in {"public", "owner"}]
    if foreign:
        raise _foreign(directory / foreign[0])
    if "public" in entries:
        _check_public(directory / "public")
    if "owner" in entries:
        _check_owner(directory / "owner")
    return True


def _foreign(path: Path) -> BundleError:
    return BundleError(
        "Something stands there that is no part of an earlier bundle; --overwrite replaces "
        "nothing else.",
        where=str(path),
        hint="Move it elsewhere, or name another directory with --out.",
    )


def _check_public(directory: Path) -> None:
    """Only what the certificate of the earlier bundle names."""
    names = _files_in(directory)
    content = _content(directory / "certificate.json", names)
    try:
        known = {*read_certificate(content).files, "certificate.json"}
    except BundleError:
        raise _foreign(directory / "certificate.json") from None
    for name in sorted(names - known):
        raise _foreign(directory / name)


def _check_owner(directory: Path) -> None:
    """Only what the report of the earlier bundle names."""
    names = _files_in(directory)
    content = _content(directory / "report.json", names)
    try:
        report = strict_json(content, "report.json")
        check_format(report, REPORT_FORMAT, "report.json")
    except BundleError:
        raise _foreign(directory / "report.json") from None
    files = report.get("files", ()) if isinstance(report, dict) else ()
    for name in sorted(names - {"report.json"}):
        if not isinstance(files, list) or name not in files:
            raise _foreign(directory / name)


def _files_in(directory: Path) -> set[str]:
    if directory.is_symlink() or not directory.is_dir():
        raise _foreign(directory)
    names = set()
    for entry in directory.iterdir():
        if not stat.S_ISREG(entry.lstat().st_mode):
            raise _foreign(entry)
        names.add(entry.name)
    return names


def _content(path: Path, names: set[str]) -> bytes:
    if path.name not in names:
        raise BundleError(
            f"There is no {shown(path.name)} here, so this is no earlier bundle.",
            where=str(path.parent),
            hint="Move it elsewhere, or name another directory with --out.",
        )
    if path.stat().st_size > _MAX_BYTES:
        raise _foreign(path)
    return path.read_bytes()
