"""The agent card: who runs a crawler and how it behaves, for a registry of agents.

EXPERIMENTAL: draft-meunier-webbotauth-registry-03 is an individual draft, and its members can change.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from polite_crawler.errors import BadOption
from polite_crawler.rules import urls


def agent_card(
    url: str,
    *,
    name: str,
    jwks_uri: str,
    user_agent: str,
    product_token: str,
    contacts: Sequence[str] = (),
    client_uri: str | None = None,
    purpose: str | None = None,
) -> dict[str, Any]:
    """The card that is served at `url`. `contacts` are URIs (`mailto:`), `purpose` a word such as `search`. Raises
    BadOption for a URL that is not https."""
    for given in (url, jwks_uri):
        if not given.startswith("https://") or not urls.is_http(given):
            raise BadOption(f"{given!r} is no https URL; an agent card has no other")
    about = {
        "expected-user-agent": user_agent,
        "rfc9309-product-token": product_token,
        "rfc9309-compliance": ["User-Agent", "Allow", "Disallow", "Content-Usage"],
        "trigger": "crawler",
        "purpose": purpose,
    }
    card = {
        "client_id": url,
        "client_name": name,
        "client_uri": client_uri,
        "contacts": list(contacts) or None,
        "jwks_uri": jwks_uri,
        "web_bot_auth": {key: value for key, value in about.items() if value is not None},
    }
    return {key: value for key, value in card.items() if value is not None}


def card_fault(card: Mapping[str, Any], url: str) -> str | None:
    """What is wrong with a card that was served at `url`, or None."""
    if "jwks" in card and "jwks_uri" in card:
        return "card must not contain both jwks and jwks_uri"
    if card.get("client_id") != url:
        return "client_id must match the card URL"
    return None


def read_registry(text: str) -> tuple[str, ...]:
    """The URLs of cards in a registry file: one a line, `#` begins a comment."""
    lines = (line.partition("#")[0].strip() for line in text.splitlines())
    return tuple(line for line in lines if line)
