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
            "Every number carries random noise, the strongest that an error of "
            f"{certificate.limit * 100:.4g} % {reading} allows. No risk is stated."
        )
    secret = _SECRETS.get(certificate.goals, "a secret about one step of one case")
    whom = " by the attacker of the certificate" if _one_attacker(certificate) else ""
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


def _one_attacker(certificate: Certificate) -> bool:
    """Whether the limit is against one belief only (method.md §2, §9)."""
    if certificate.attacker == "any" or certificate.annotations == ("frequency",):
        return False
    return not ("frequency" in certificate.annotations and certificate.scope == "release")
