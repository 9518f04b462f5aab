"""No character of a page acts on a terminal through JSON, and the value stays the same."""

import json
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from polite_crawler.rules.controls import json_for_terminal

ACTING = [*range(0x20), *range(0x7F, 0xA0), 0x61C, 0x200E, 0x200F, *range(0x2028, 0x202F), *range(0x2066, 0x206A)]


def test_each_character_that_acts_is_escaped() -> None:
    value = {chr(code): f"a{chr(code)}31m" for code in ACTING}
    text = json_for_terminal(json.dumps(value, ensure_ascii=False))
    assert [char for char in text if unicodedata.category(char) == "Cc" or ord(char) in ACTING] == []
    assert json.loads(text) == value


@given(st.dictionaries(st.text(), st.text()))
def test_the_value_stays(value: dict[str, str]) -> None:
    assert json.loads(json_for_terminal(json.dumps(value, ensure_ascii=False))) == value
