"""Write `docs/api.md`, `errors.md` and `schemas.md` from the program itself.

python docs/make_api.py

The API comes from the docstrings (whose examples the tests run), the errors from `exceptions.py`,
the fields of the files from the JSON Schemas in the package. A test compares the pages.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
from pathlib import Path
from typing import Any

from griffe import Docstring, DocstringSectionKind

import hushmap
from hushmap import exceptions
from hushmap.bundle.schema import schema

HERE = Path(__file__).parent
# The public names in the order in which one meets them.
CHAPTERS = {
    "Read": ["read_log", "from_frame", "EventLog", "inspect"],
    "Discover": ["discover", "from_transitions", "ExactGraph", "Edge"],
    "Plan": ["plan", "Plan", "simulate", "SimulatedGraph"],
    "Release": ["release", "Release", "ReleasedGraph", "Certificate"],
    "Receive": ["read_release", "PublicRelease"],
}
API = """# The Python API

`import hushmap as hm`. These names are all there is; everything else is private. What is exact
belongs to the owner of the log; only a `ReleasedGraph` and its `Certificate` may be shown. A tour:
[hushmap in Python](python.md).

This page is made from the docstrings by `docs/make_api.py`; the tests run every example.
"""
ERRORS = """# Errors

All errors derive from `hushmap.exceptions.HushmapError`. An error says what was given, what is legal
and what to do next, in one to three lines. It never holds a case id, a duration or a count of the
log: what only its owner may see is in `error.owner_details`, which the command line prints with
`--owner-details` alone.

The exit status of the program: 0 done; 1 the work failed; 2 wrong usage; 3 refused; 130 interrupted.

This page is made from `exceptions.py` by `docs/make_api.py`.
"""
SCHEMAS = """# Schemas of the files

The fields of the JSON files of a bundle, from the JSON Schemas (draft 2020-12) in the package,
`hushmap/bundle/schemas/`. The files themselves: [files of a bundle](formats.md). A field in **bold**
is always there.

This page is made by `docs/make_api.py`.
"""


def api_page() -> str:
    """Every public name: signature, meaning, arguments, errors, an example."""
    parts = [API]
    known = {name for names in CHAPTERS.values() for name in names}
    public = [name for name, thing in vars(hushmap).items() if _is_public(name, thing)]
    more = [name for name in public if name not in known]
    for chapter, names in (CHAPTERS | ({"More": more} if more else {})).items():
        parts.append(f"## {chapter}\n")
        parts += [_documented(f"hm.{name}", getattr(hushmap, name), "###") for name in names]
    return "\n".join(parts)


def _is_public(name: str, thing: Any) -> bool:
    """Whether it is a function or class that `import hushmap` offers."""
    return not name.startswith("_") and (inspect.isclass(thing) or inspect.isfunction(thing))


def _documented(name: str, thing: Any, level: str) -> str:
    lines = [f"{level} {name}\n"]
    if inspect.isclass(thing):
        lines += _sections(thing)
        for member, value in _members(thing):
            lines.append(_documented(f"{name}.{member}", value, level + "#"))
    else:
        function = thing.fget if isinstance(thing, property) else thing
        if isinstance(thing, property):
            answer = str(inspect.signature(function).return_annotation)
            lines.append(f"Attribute: `{_plain(answer)}`.\n")
        else:
            lines.append(f"```text\n{_signature(name, function)}\n```\n")
        lines += _sections(function)
    return "\n".join(lines)


def _members(thing: type) -> list[tuple[str, Any]]:
    """Public methods and properties with a docstring, inherited ones included."""
    fields = (
        {field.name for field in dataclasses.fields(thing)}
        if dataclasses.is_dataclass(thing)
        else set()
    )
    found = []
    for base in reversed([one for one in thing.__mro__ if one.__module__.startswith("hushmap")]):
        for name, value in vars(base).items():
            documented = (
                inspect.isfunction(value) or isinstance(value, property)
            ) and value.__doc__
            if documented and not name.startswith("_") and name not in fields:
                found.append((name, value))
    return list(dict(found).items())


def _signature(name: str, function: Any) -> str:
    parameters = list(inspect.signature(function).parameters.values())
    shown = [_parameter(one) for one in parameters if one.name != "self"]
    starred = next(
        (place for place, one in enumerate(parameters) if one.kind is one.KEYWORD_ONLY), None
    )
    if starred is not None:
        shown.insert(starred - (parameters[0].name == "self"), "*")
    answer = _plain(str(inspect.signature(function).return_annotation))
    one_line = f"{name}({', '.join(shown)}) -> {answer}"
    if len(one_line) <= 92:
        return one_line
    return f"{name}(\n" + "".join(f"    {one},\n" for one in shown) + f") -> {answer}"


def _parameter(parameter: inspect.Parameter) -> str:
    text = parameter.name
    if parameter.annotation is not parameter.empty:
        text += f": {_plain(str(parameter.annotation))}"
    if parameter.default is not parameter.empty:
        text += f" = {parameter.default!r}"
    return text


def _plain(annotation: str) -> str:
    return re.sub(r"\b(?:[a-z_]+\.)+(?=[A-Z])", "", annotation)


def _sections(thing: Any) -> list[str]:
    """The docstring as Markdown."""
    docstring = Docstring(inspect.getdoc(thing) or "", parser="google")
    lines = []
    for section in docstring.parse("google", warnings=False):
        if section.kind is DocstringSectionKind.text:
            lines.append(f"{_markdown(section.value)}\n")
        elif section.kind in {DocstringSectionKind.parameters, DocstringSectionKind.attributes}:
            heading = (
                "Arguments" if section.kind is DocstringSectionKind.parameters else "Attributes"
            )
            lines.append(f"{heading}:\n")
            lines += [f"- `{item.name}`: {_line(item.description)}" for item in section.value]
            lines.append("")
        elif section.kind is DocstringSectionKind.returns:
            text = " ".join(
                f"{item.annotation or ''} {item.description}".strip() for item in section.value
            )
            lines.append(f"Returns: {_line(text)}\n")
        elif section.kind is DocstringSectionKind.raises:
            lines.append("Raises:\n")
            lines += [f"- `{item.annotation}`: {_line(item.description)}" for item in section.value]
            lines.append("")
        elif section.kind is DocstringSectionKind.admonition:  # Example:
            lines.append(f"```pycon\n{section.value.description.strip()}\n```\n")
        elif section.kind is DocstringSectionKind.examples:
            lines += [f"```pycon\n{text.strip()}\n```\n" for _, text in section.value]
    return lines


def _markdown(text: str) -> str:
    return text.replace("``", "`")


def _line(text: str) -> str:
    return _markdown(" ".join(text.split()))


def errors_page() -> str:
    """The tree, and a row per error."""
    tree = (exceptions.__doc__ or "").split("::\n", 1)[1].split("\n\nAn error", 1)[0]
    rows = [
        f"| `{name}` | {thing.exit_status} | {_line(inspect.getdoc(thing).split('Attributes:')[0])} |"
        for name, thing in vars(exceptions).items()
        if isinstance(thing, type) and issubclass(thing, Exception)
    ]
    table = "| error | exit status | when |\n|---|---|---|\n" + "\n".join(rows)
    return f"{ERRORS}\n```text\n{inspect.cleandoc(tree)}\n```\n\n{table}\n"


def schemas_page() -> str:
    """A table of fields per file."""
    parts = [SCHEMAS]
    for kind, where in (("map", "public"), ("certificate", "public"), ("report", "owner")):
        document = schema(kind)
        parts.append(f"## {where}/{kind}.json\n")
        if "description" in document:
            parts.append(f"{_line(document['description'])}\n")
        parts.append("| field | type | meaning |\n|---|---|---|")
        parts += _fields(document, document, "")
        parts.append("")
    return "\n".join(parts)


def _fields(node: dict[str, Any], root: dict[str, Any], path: str) -> list[str]:
    rows = []
    required = set(node.get("required", ()))
    for name, given in node.get("properties", {}).items():
        field = _resolved(given, root)
        where = f"{path}{name}"
        shown = f"**`{where}`**" if name in required else f"`{where}`"
        rows.append(f"| {shown} | {_type(field)} | {_line(field.get('description', ''))} |")
        rows += _fields(field, root, f"{where}.")
        items = (
            _resolved(field.get("items", {}), root) if isinstance(field.get("items"), dict) else {}
        )
        rows += _fields(items, root, f"{where}[].")
        if isinstance(field.get("additionalProperties"), dict):
            rows += _fields(_resolved(field["additionalProperties"], root), root, f"{where}.*.")
    return rows


def _resolved(node: dict[str, Any], root: dict[str, Any]) -> dict[str, Any]:
    if "$ref" not in node:
        return node
    found: Any = root
    for step in node["$ref"].removeprefix("#/").split("/"):
        found = found[step]
    return found | {key: value for key, value in node.items() if key != "$ref"}


def _type(node: dict[str, Any]) -> str:
    if "const" in node:
        return f"`{node['const']}`"
    if "enum" in node:
        return ", ".join(f"`{one}`" for one in node["enum"])
    kind = node.get("type", "")
    text = " or ".join(kind) if isinstance(kind, list) else kind
    if kind == "array" and isinstance(node.get("items"), dict) and "type" in node["items"]:
        text += f" of {node['items']['type']}"
    return text or " or ".join(_type(one) for one in node.get("oneOf", node.get("anyOf", [])))


PAGES = {"api.md": api_page, "errors.md": errors_page, "schemas.md": schemas_page}


if __name__ == "__main__":
    for _name, _page in PAGES.items():
        (HERE / _name).write_text(_page(), encoding="utf-8")
