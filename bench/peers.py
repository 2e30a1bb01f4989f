"""The programs that hushmap is measured beside, each in an environment of its own.

None of them is ever a dependency. The environments lie in ``bench/.envs`` and are made once;
modules are compiled when they are installed, so that no run measures Python's compiler.

    python bench/peers.py        # make what is missing
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

ENVIRONMENTS = Path(__file__).parent / ".envs"
OWN = "hushmap"
PACKAGES = {
    "duckdb": ["duckdb"],
    "polars": ["polars"],
    "pm4py": ["pm4py", "pyarrow"],
    "r4pm": ["r4pm", "polars", "pandas", "pyarrow"],
    "rustxes": ["rustxes", "polars", "pandas", "pyarrow"],
}


def python_of(environment: str) -> str | None:
    """The interpreter of an environment; None where it could not be made."""
    if environment == OWN:
        return sys.executable
    python = ENVIRONMENTS / environment / "bin" / "python"
    return str(python) if (ENVIRONMENTS / environment / "ready").exists() else None


def prepare(environment: str) -> bool:
    """Make an environment if it is not there yet."""
    home = ENVIRONMENTS / environment
    if (home / "ready").exists():
        return True
    beside = Path(sys.executable).with_name("uv")
    uv = str(beside) if beside.exists() else shutil.which("uv")
    if uv is None:
        print("peers need uv; `make bench` brings it", file=sys.stderr)
        return False
    print(f"installing {environment} …", file=sys.stderr)
    install = [
        uv,
        "pip",
        "install",
        "-q",
        "--compile-bytecode",
        "--python",
        home / "bin" / "python",
    ]
    for command in (
        [uv, "venv", "-q", "--clear", "--python", sys.executable, home],
        [*install, *PACKAGES[environment]],
    ):
        if subprocess.run(command, check=False).returncode:
            print(f"{environment} could not be installed; its rows stay empty", file=sys.stderr)
            return False
    (home / "ready").touch()
    return True


def versions(environment: str) -> dict[str, str]:
    """The versions of what an environment is there for."""
    python = python_of(environment)
    names = PACKAGES.get(environment, ["hushmap", "duckdb", "numpy", "opendp", "pygraphviz"])
    code = f"from importlib.metadata import version\nfor n in {names}: print(n, version(n))"
    if python is None:
        return {}
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=True)
    return dict(line.split() for line in done.stdout.splitlines())


if __name__ == "__main__":
    sys.exit(not all(prepare(name) for name in PACKAGES))
