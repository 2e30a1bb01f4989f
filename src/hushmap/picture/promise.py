"""The promise of a certificate in one line, for the foot of a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hushmap.release.certificate import Certificate

_SECRETS: dict[tuple[str, ...], str] = {
    ("whether",): "whether one step of one case took place",
    ("how long",): "how long one step of one case took",
}


def promise_line(certificate: Certificate | None) -> str:
    """What the picture promises; the certificate says it in full.

    Args:
        certificate: The certificate, if it is at hand.
    """
    if certificate is None:
        return "Every number carries random noise; its certificate says what that protects."
    if certificate.risk is None:
        reading = "on average over the edges"
        if certificate.error_reading == "per-edge":
            reading = "on every edge"
        return (
            "Every number carries random noise, as strong as an error of "
            f"{certificate.limit * 100:.4g} % {reading} leaves room for. No risk is promised."
        )
    secret = _SECRETS.get(certificate.goals, "a secret about one step of one case")
    whom = "" if certificate.against_any else " by the attacker of the certificate"
    alone = ""
    if certificate.scope == "annotation" and len(certificate.annotations) > 1:
        alone = ", from each kind of number alone"
    return (
        f"Every number carries random noise: this map raises the chance of guessing {secret}{whom} "
        f"by at most {certificate.risk * 100:.10g} percentage points{alone}. "
        "Not a limit for a person."
    )


def origin_line(certificate: Certificate | None) -> str:
    """What made the picture, and when."""
    if certificate is None:
        return "hushmap"
    return f"hushmap {certificate.version}, released on {certificate.date}"
