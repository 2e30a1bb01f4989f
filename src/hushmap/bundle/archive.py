"""One half of a written bundle as a ZIP file, to be handed on as one thing."""

from __future__ import annotations

import io
import zipfile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

# The time of a file would say when the owner worked; ZIP knows none before this.
_NO_TIME = (1980, 1, 1, 0, 0, 0)
_EVERYONE, _OWNER = 0o100644, 0o100600


def zipped(paths: Sequence[Path], folder: str, *, private: bool) -> bytes:
    """Files of a bundle under one folder; equal files give equal bytes.

    Args:
        paths: The files of `WrittenBundle.public`, or of `WrittenBundle.owner`.
        folder: The name of the folder in the archive.
        private: Whether only the owner may read the files once they are unpacked.
    """
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(paths, key=lambda path: path.name):
            entry = zipfile.ZipInfo(f"{folder}/{path.name}", _NO_TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3  # Unix, on every system
            entry.external_attr = (_OWNER if private else _EVERYONE) << 16
            archive.writestr(entry, path.read_bytes())
    return target.getvalue()
