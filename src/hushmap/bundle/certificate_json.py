"""`certificate.json`: what the map promises, for machines; and back."""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from decimal import Decimal
from typing import TYPE_CHECKING

from hushmap.bundle.checks import span_of
from hushmap.bundle.strict_json import as_list, as_record, check_format, shown, strict_json
from hushmap.exceptions import BundleError
from hushmap.graph import Annotation
from hushmap.release.certificate import CERTIFICATE_FORMAT, Certificate

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

_NAME = "certificate.json"
_REQUIRED = frozenset(
    {
        "format",
        "version",
        "date",
        "problem",
        "limit",
        "annotations",
        "protects",
        "edge_set",
        "scope",
        "goals",
        "resolution",
        "attacker",
        "min_occurrences",
        "unit_limits",
        "mechanisms",
        "promised",
        "not_promised",
        "files",
    }
)
_OPTIONAL = frozenset(
    {
        "risk",
        "precision",
        "range",
        "max_duration",
        "max_risk_any",
        "error_reading",
        "confidence",
        "epsilon",
    }
)
_MAX_TEXT = 10_000
UNKNOWN_HASH = "0" * 64
_SHARE = re.compile(r"\d(\.\d{1,20})?(e-\d\d?)?", re.ASCII)
_SHA256 = re.compile(r"[0-9a-f]{64}", re.ASCII)


def certificate_record(certificate: Certificate) -> dict[str, object]:
    """The certificate in the shape of `certificate.json`; what does not apply is left out."""
    epsilon = certificate.epsilon
    record: dict[str, object] = {
        "format": CERTIFICATE_FORMAT,
        "version": certificate.version,
        "date": certificate.date,
        "problem": certificate.problem,
        "limit": certificate.limit,
        "risk": certificate.risk,
        "precision": _precision_value(certificate.precision),
        "annotations": list(certificate.annotations),
        "protects": certificate.protects,
        "edge_set": certificate.edge_set,
        "scope": certificate.scope,
        "goals": list(certificate.goals),
        "range": certificate.range_kind,
        "resolution": certificate.resolution,
        "max_duration": certificate.max_duration,
        "attacker": certificate.attacker,
        "max_risk_any": certificate.max_risk_any,
        "min_occurrences": certificate.min_occurrences,
        "error_reading": certificate.error_reading,
        "confidence": certificate.confidence,
        "epsilon": None if epsilon is None else {Annotation.FREQUENCY.value: epsilon},
        "unit_limits": dict(sorted(certificate.unit_limits.items())),
        "mechanisms": {
            kind.value: certificate.mechanisms[kind.value]
            for kind in Annotation
            if kind.value in certificate.mechanisms
        },
        "promised": list(certificate.promised),
        "not_promised": list(certificate.not_promised),
        "files": dict(sorted(certificate.files.items())),
    }
    return {key: value for key, value in record.items() if value is not None}


def is_share(precision: str) -> bool:
    """Whether a precision is a share of the range; else it is a time.

    Example:
        >>> is_share("0.1"), is_share("30min")
        (True, False)
    """
    return precision[-1:].isdigit()


def _precision_value(precision: str | None) -> float | str | None:
    """A number where it is a share of the range, a text where it is a time."""
    if precision is None or not is_share(precision):
        return precision
    return float(precision)


def certificate_json(certificate: Certificate) -> bytes:
    """The certificate as JSON, in a fixed order."""
    record = certificate_record(certificate)
    text = json.dumps(record, ensure_ascii=False, allow_nan=False, indent=1)
    return f"{text}\n".encode()


def fingerprint(content: bytes, page: str) -> str:
    """SHA-256 of `certificate.json`, with zeros in place of the hash of `certificate.html`.

    The page carries it, and `certificate.json` names the hash of the page: neither can be changed
    by itself.

    Args:
        content: `certificate.json`.
        page: The SHA-256 of `certificate.html` that it names.
    """
    return hashlib.sha256(content.replace(page.encode(), UNKNOWN_HASH.encode())).hexdigest()


def read_certificate(content: bytes) -> Certificate:
    """Read `certificate.json` back, strictly.

    Raises:
        BundleError: It is no certificate of this format.
    """
    parsed = strict_json(content, _NAME)
    check_format(parsed, CERTIFICATE_FORMAT, _NAME)
    record = as_record(parsed, _NAME, _REQUIRED, _OPTIONAL)
    try:
        certificate = _certificate(_Fields(record))
        _check_limits(certificate)
    except BundleError as error:
        raise BundleError(error.what, where=_NAME, hint=error.hint) from None
    return certificate


class _Fields:
    """The members of the certificate, each read as what it must be."""

    def __init__(self, record: dict[str, object]) -> None:
        self._record = record

    def text(self, key: str) -> str:
        return _plain(self._record[key], key)

    def optional_text(self, key: str) -> str | None:
        return self.text(key) if key in self._record else None

    def one_of(self, key: str, *legal: str) -> str:
        text = self.text(key)
        if text not in legal:
            raise BundleError(f"{key} is {shown(text)}; it must be one of {', '.join(legal)}.")
        return text

    def optional_one_of(self, key: str, *legal: str) -> str | None:
        return self.one_of(key, *legal) if key in self._record else None

    def share(self, key: str) -> float | None:
        """A probability or a gain in one: between 0 and 1, and neither of them."""
        if key not in self._record:
            return None
        share = _number(self._record[key], key)
        if share >= 1:
            raise BundleError(f"{key} is not below 1.")
        return share

    def span(self, key: str) -> str | None:
        """A span of time, in the one spelling that hushmap writes."""
        text = self.optional_text(key)
        if text is not None:
            span_of(text, key)
        return text

    def precision(self) -> str | None:
        """A share of the range, as a number or as an earlier version wrote it; or a time."""
        value = self._record.get("precision")
        if isinstance(value, str) and _SHARE.fullmatch(value):
            value = Decimal(value)
        if value is None or isinstance(value, str):
            return self.span("precision")
        if not isinstance(value, (int, Decimal)) or isinstance(value, bool) or not 0 <= value <= 1:
            raise BundleError("precision is neither a time nor a share between 0 and 1.")
        return str(float(value))

    def number(self, key: str) -> float:
        return _number(self._record[key], key)

    def count(self, key: str) -> int:
        value = self._record[key]
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise BundleError(f"{key} is no whole number from 1 on.")
        return value

    def texts(self, key: str, legal: Collection[str] | None = None) -> tuple[str, ...]:
        texts = tuple(_plain(text, key) for text in as_list(self._record[key], _NAME, key))
        if legal is not None and (len(set(texts)) < len(texts) or not set(texts) <= set(legal)):
            raise BundleError(f"{key} holds something twice, or something unknown.")
        return texts

    def mapping(self, key: str) -> dict[str, object]:
        value = self._record[key]
        if not isinstance(value, dict):
            raise BundleError(f"{key} is no JSON object.")
        return value

    def epsilon(self) -> float | None:
        if "epsilon" not in self._record:
            return None
        record = as_record(self._record["epsilon"], _NAME, frozenset({Annotation.FREQUENCY.value}))
        return _number(record[Annotation.FREQUENCY.value], "epsilon")


def _plain(value: object, key: str) -> str:
    """A text that may be printed anywhere: no control characters, not too long."""
    if not isinstance(value, str):
        raise BundleError(f"{key} is no text.")
    if len(value) > _MAX_TEXT:
        raise BundleError(f"{key} is a text of {len(value)} characters.")
    if any(unicodedata.category(character) in {"Cc", "Cs"} for character in value):
        raise BundleError(f"{key} holds control characters.")
    return value


def _number(value: object, key: str) -> float:
    if not isinstance(value, (int, Decimal)) or isinstance(value, bool) or value <= 0:
        raise BundleError(f"{key} is no number above 0.")
    return float(value)


def _unit_limit(value: object) -> float:
    """The largest gain about one unit; near 1 it is rounded to 1."""
    limit = _number(value, "unit_limits")
    if limit > 1:
        raise BundleError("A limit among unit_limits is above 1.")
    return limit


def _certificate(fields: _Fields) -> Certificate:
    kinds = tuple(kind.value for kind in Annotation)
    return Certificate(
        version=fields.text("version"),
        date=fields.text("date"),
        problem=fields.one_of("problem", "max_risk", "max_error"),
        limit=fields.number("limit"),
        risk=fields.share("risk"),
        max_risk_any=fields.share("max_risk_any"),
        attacker=fields.one_of("attacker", "any", "empirical", "paper"),
        precision=fields.precision(),
        annotations=fields.texts("annotations", kinds),
        scope=fields.one_of("scope", "release", "annotation"),
        goals=fields.texts("goals", ("whether", "how long")),
        protects=fields.one_of("protects", "occurrence", "case"),
        edge_set=fields.text("edge_set"),
        range_kind=fields.optional_one_of("range", "observed", "declared"),
        max_duration=fields.span("max_duration"),
        resolution=fields.text("resolution"),
        error_reading=fields.optional_one_of("error_reading", "mean", "per-edge"),
        confidence=fields.share("confidence"),
        min_occurrences=fields.count("min_occurrences"),
        epsilon=fields.epsilon(),
        unit_limits={
            _plain(unit, "unit_limits"): _unit_limit(limit)
            for unit, limit in fields.mapping("unit_limits").items()
        },
        mechanisms={
            _plain(name, "mechanisms"): _plain(text, "mechanisms")
            for name, text in fields.mapping("mechanisms").items()
        },
        promised=fields.texts("promised"),
        not_promised=fields.texts("not_promised"),
        files=_files(fields.mapping("files")),
    )


def _files(record: Mapping[str, object]) -> dict[str, str]:
    for name, digest in record.items():
        if not isinstance(digest, str) or not _SHA256.fullmatch(digest):
            raise BundleError(f"The SHA-256 of {shown(name)} is none.")
    return {name: str(digest) for name, digest in record.items()}


def _check_limits(certificate: Certificate) -> None:
    if set(certificate.mechanisms) != set(certificate.annotations):
        raise BundleError("mechanisms does not name the annotations.")
    if certificate.problem == "max_error":
        if certificate.risk is not None or certificate.epsilon is not None:
            raise BundleError("A certificate of an error limit states no risk and no epsilon.")
    elif certificate.risk != certificate.limit:
        raise BundleError("risk is not the limit.")
