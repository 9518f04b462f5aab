"""The attacks of the shared cases on the envelope."""

from typing import Any

import pytest
from envelope_reader import CONTROLS, one_delimiter, read
from shared_files import facts, needs_cases

from polite_crawler.mcp.envelope import Block, neutralise, wrap

ATTACKS: list[dict[str, Any]] = facts("envelope_attacks").get("attacks", [])
pytestmark = needs_cases

# what the answers of the tools have to hold, and not the envelope: tests/mcp looks at those
OF_TOOLS = {"not-in-json", "not-in-error", "not-in-status", "not-in-elicit", "cap"}


def test_the_attacks_are_all_there() -> None:
    assert len({attack["id"] for attack in ATTACKS}) >= 62


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack["id"])
def test_an_attack_stays_data(attack: dict[str, Any]) -> None:
    earlier = read(wrap([Block("x")]))[0].id
    text = attack["input"].replace("{ID}", earlier) * attack.get("repeat", 1) + attack.get("suffix", "")
    attribute = attack["where"] in ("url", "docid")
    block = Block("y", doc=text, url=text) if attribute else Block(text)
    envelope = wrap([block])
    part = read(envelope)[0]
    assert part.id != earlier
    new = neutralise(text)
    holds = {
        "one-delim": one_delimiter(envelope, 1),
        "same-length": len(new) == len(text),
        "idempotent": neutralise(new) == new,
        "no-controls": not CONTROLS.search(envelope),
        "escaped-attr": not any(set(value) & set('"<>\n\t') for value in part.attributes.values()),
        "unchanged": part.text == text,
    }
    assert not attribute or set(part.attributes) == {"doc", "url"}
    assert not [name for name in attack["must"] if name not in OF_TOOLS and not holds[name]]
