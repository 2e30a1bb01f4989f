"""Files for the owner, written whole or not at all."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


def save_for_owner(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write files that only their owner may read; whoever is interrupted leaves none of them.

    All are written beside the place where they will stand and then moved there, so that there is
    never a part of a file.

    Args:
        folder: Where to; made, for the owner alone, if it is not there.
        files: Contents by name.
    """
    made = not folder.exists()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    staging = Path(tempfile.mkdtemp(prefix=".hushmap-", dir=folder))
    try:
        for name, content in files.items():
            part = staging / name
            part.write_bytes(content)
            part.chmod(0o600)
        for name in files:
            (staging / name).replace(folder / name)
    finally:
        shutil.rmtree(staging, ignore_errors=True)
        if made and not any(folder.iterdir()):
            folder.rmdir()
