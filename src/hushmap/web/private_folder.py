"""A folder that only its owner can enter, wiped at the end, and after a crash at the next start.

All servers of one user keep their folders under one parent. Each holds a lock as long as it
lives: whoever starts wipes the folders whose lock nobody holds.
"""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING

from hushmap.exceptions import HushmapError

if TYPE_CHECKING:
    from collections.abc import Iterator

_LOCK = "lock"
_GATE = "gate"


class PrivateFolder:
    """The folder of one server, made when it starts.

    Args:
        parent: Where the folders of all servers of this user are; by default in the system's
            folder for temporary files.

    Attributes:
        path: The folder, mode 0700.
    """

    def __init__(self, parent: Path | None = None) -> None:
        self._parent = parent or Path(tempfile.gettempdir()) / f"hushmap-serve-{_user()}"
        _own_folder(self._parent)
        with _locked(self._parent / _GATE):  # between two servers that start at once
            for other in self._parent.iterdir():
                if other.is_dir() and not other.is_symlink():
                    _wipe_if_dead(other)
            self.path = Path(tempfile.mkdtemp(prefix="run-", dir=self._parent))
            self._lock = (self.path / _LOCK).open("wb")
            _try_lock(self._lock)

    def new(self) -> Path:
        """A folder in it."""
        return Path(tempfile.mkdtemp(prefix="project-", dir=self.path))

    def close(self) -> None:
        """Wipe everything."""
        self._lock.close()
        shutil.rmtree(self.path, ignore_errors=True)


def _user() -> str:
    return str(os.getuid()) if hasattr(os, "getuid") else "user"


def _own_folder(path: Path) -> None:
    """Make the parent, or refuse one that somebody else made before us or may enter."""
    with suppress(FileExistsError):
        path.mkdir(mode=0o700, parents=True)
    found = path.lstat()
    foreign = hasattr(os, "getuid") and found.st_uid != os.getuid()
    if not stat.S_ISDIR(found.st_mode) or foreign:
        raise HushmapError(
            "The folder for private files belongs to somebody else, or is none.",
            where=str(path),
            hint="Remove it, or set TMPDIR to a folder of your own.",
        )
    path.chmod(0o700)


def _wipe_if_dead(folder: Path) -> None:
    """Wipe the folder of a server that no longer runs."""
    try:
        lock = (folder / _LOCK).open("r+b")
    except OSError:
        shutil.rmtree(folder, ignore_errors=True)  # it died before it had a lock
        return
    alive = not _try_lock(lock)
    lock.close()
    if not alive:
        shutil.rmtree(folder, ignore_errors=True)


def _try_lock(file: IO[bytes]) -> bool:
    """Take a lock that ends with the process; False where another process holds it."""
    try:
        import fcntl
    except ImportError:  # Windows
        import msvcrt

        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
        except OSError:
            return False
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold a lock, waiting for it."""
    import time

    with path.open("wb") as file:
        while not _try_lock(file):
            time.sleep(0.02)
        yield
