"""What may stand where a bundle is to be written: nothing, or an earlier bundle and other files.

An earlier bundle is replaced on request alone. Files beside its `public/` and `owner/` stay as they
are; files inside that no bundle named are refused, for both halves are replaced as a whole: what
hushmap did not write is never deleted, and never stays in a folder that is to be published.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from hushmap.bundle.certificate_json import read_certificate
from hushmap.bundle.strict_json import check_format, shown, strict_json
from hushmap.exceptions import BundleError, UsageError
from hushmap.release.report import REPORT_FORMAT

_HINT = "Name an empty or new directory with --out."
_MAX_BYTES = 256 * 1024 * 1024


def named_directory(out: Path | str) -> Path:
    """The directory that `--out` names.

    Raises:
        UsageError: It names none: an empty text would be the working directory.

    Example:
        >>> named_directory("map").name
        'map'
    """
    if isinstance(out, str) and not out:
        raise UsageError(
            "--out is empty; perhaps a variable of the shell is not set.",
            hint="Name a directory; the one you are in is written as a dot.",
        )
    return Path(out)


def check_replaceable(directory: Path, *, overwrite: bool) -> bool:
    """Whether a bundle may be written into a directory, and something stands there already.

    Args:
        directory: Where the bundle is to be written.
        overwrite: Whether an earlier bundle may be replaced, and other files may stand beside.

    Returns:
        True if the directory must stay, with the files in it; False if it is empty or absent.

    Raises:
        BundleError: Something stands there that may not be replaced, or nobody may write there.
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
    if not _may_write(directory):
        raise BundleError(
            "The directory cannot be written to: Permission denied.",
            where=str(directory),
            hint="Name another with --out, or give yourself the permission (chmod u+rwx).",
        )
    if not any(directory.iterdir()):
        return False
    if not overwrite:
        raise BundleError(
            "The directory is not empty.",
            where=str(directory),
            hint="Name another with --out; or write --overwrite, which replaces an earlier bundle "
            "and leaves other files as they are.",
        )
    # Asked by name: where names differ in case alone, `Public` would be replaced, too.
    if os.path.lexists(directory / "public"):
        _check_public(directory / "public")
    if os.path.lexists(directory / "owner"):
        _check_owner(directory / "owner")
    return True


def _may_write(directory: Path) -> bool:
    """Whether whoever runs the program may list the directory and add to it."""
    effective = os.access in os.supports_effective_ids
    return os.access(directory, os.R_OK | os.W_OK | os.X_OK, effective_ids=effective)


def _foreign(path: Path) -> BundleError:
    return BundleError(
        "This is no part of an earlier bundle; --overwrite replaces public/ and owner/ as a whole, "
        "so nothing else may be in them.",
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
            f"There is no {shown(path.name)} here, so this is no part of an earlier bundle, and "
            "--overwrite replaces nothing else.",
            where=str(path.parent),
            hint="Move it elsewhere, or name another directory with --out.",
        )
    if path.stat().st_size > _MAX_BYTES:
        raise _foreign(path)
    return path.read_bytes()
