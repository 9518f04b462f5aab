"""The attacks of the shared cases on the envelope."""

import json
from pathlib import Path
from typing import Any

import pytest
from envelope_reader import CONTROLS, one_delimiter, read

from polite_crawler.mcp.envelope import Block, neutralise, wrap

CASES = Path(__file__).parents[2].parent / "shared" / "cases" / "envelope_attacks.json"
ATTACKS: list[dict[str, Any]] = json.loads(CASES.read_text("utf-8"))["attacks"] if CASES.is_file() else []
pytestmark = pytest.mark.skipif(not ATTACKS, reason="no ../shared/cases/envelope_attacks.json")


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
    assert not [name for name in attack["must"] if not holds.get(name, True)]
