"""Signed requests (Web Bot Auth, RFC 9421): what a verifying site answers to them."""

import json

from polite_crawler.testsite.catalogue import Family
from polite_crawler.testsite.exchange import Ask, respond
from polite_crawler.testsite.gate import TAG

SIGNATURES = Family("Signed requests")
_WANTED = f'sig1=("@authority" "signature-agent";key="sig1");created;expires;keyid;tag="{TAG}"'


def refused(ask: Ask, why: str) -> bytes:
    """The answer to a request that does not come in; it asks for a signature (RFC 9421 section 5)."""
    return respond(
        ask, f"<title>Signed requests only</title><p>{why}", status=403, headers=(("Accept-Signature", _WANTED),)
    )


@SIGNATURES.route(
    "/signature", "JSON: whether the request is signed by a key of ?signature_keys of /__set, and why not"
)
def told(ask: Ask) -> bytes:
    why = ask.refusal or (None if ask.state.gate is not None else "the site has no keys")
    return respond(ask, json.dumps({"verified": why is None, "why": why}), type="application/json")


@SIGNATURES.route(
    "/signature/asked?status=403", "asks for a signature with `status`; a request that has one gets a page"
)
def asked(ask: Ask) -> bytes:
    if ask.header("signature-input"):
        return respond(ask, "<title>Signed</title><p>A page for signed requests, with a few words to read.")
    return respond(
        ask,
        "<title>Signed requests only</title>",
        status=ask.count("status", 403),
        headers=(("Accept-Signature", _WANTED),),
    )
