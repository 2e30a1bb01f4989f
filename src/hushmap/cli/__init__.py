"""The command line: ``hushmap VERB``. One file per verb, no logic."""

from hushmap.cli.app import main

__all__ = ["main"]
