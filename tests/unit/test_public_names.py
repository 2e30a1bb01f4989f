"""The public names: pinned, documented, and each with an example that runs (as a doctest)."""

import inspect
import types

import hushmap

NAMES = [
    "Certificate", "Edge", "EventLog", "ExactGraph", "Plan", "PublicRelease", "Release",
    "ReleasedGraph", "SimulatedGraph", "discover", "exceptions", "from_frame", "from_transitions",
    "inspect", "plan", "read_log", "read_release", "release", "simulate",
]  # fmt: skip
ROOMS = {
    "accuracy", "bundle", "cli", "discovery", "graph", "inspection", "interop", "log", "noise",
    "owner", "picture", "planning", "risk", "timespan", "audit", "web",
}  # fmt: skip


def test_the_public_names_are_these():
    public = [name for name in vars(hushmap) if not name.startswith("_") and name not in ROOMS]
    assert sorted(public) == NAMES


def test_every_public_name_says_what_it_is_and_shows_an_example():
    for name in NAMES:
        thing = getattr(hushmap, name)
        assert inspect.getdoc(thing), name
        if not isinstance(thing, types.ModuleType):
            assert ">>>" in inspect.getdoc(thing), name


def test_every_error_has_an_exit_status_and_its_place_in_the_tree():
    tree = hushmap.exceptions.__doc__
    for name, thing in vars(hushmap.exceptions).items():
        if isinstance(thing, type) and issubclass(thing, Exception):
            assert name in tree
            assert thing.exit_status in {1, 2, 3}
