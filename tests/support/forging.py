"""A bundle as a forger leaves it who knows how hushmap checks one."""

from __future__ import annotations

import hashlib
import json
import re

from hushmap.bundle.certificate_json import fingerprint

_UNKNOWN = "0" * 64
_MARK = re.compile(rb'(<meta name="certificate\.json" content=")[0-9a-f]{64}')


def sealed(files: dict[str, bytes], *, indent: int | None = 1) -> dict[str, bytes]:
    """The files with hashes that fit, and the fingerprint of the certificate in its page.

    What is noticed now is in the content itself. Nothing is rendered anew.

    Args:
        files: The public files; `certificate.json` any JSON object that has `files`.
        indent: Of `certificate.json`; hushmap's own is 1.
    """
    record = json.loads(files["certificate.json"])
    hashes = record["files"] | {
        name: _hash(content) for name, content in files.items() if name in record["files"]
    }
    hashes["certificate.html"] = _UNKNOWN
    text = json.dumps(record | {"files": hashes}, ensure_ascii=False, indent=indent)
    draft = f"{text}\n".encode()
    mark = fingerprint(draft, _UNKNOWN).encode()
    page = _MARK.sub(rb"\g<1>" + mark, files["certificate.html"])
    certificate = draft.replace(_UNKNOWN.encode(), _hash(page).encode())
    return files | {"certificate.html": page, "certificate.json": certificate}


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
