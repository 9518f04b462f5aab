"""Settings that are not valid: one clear line that names the setting, and the numbers that keep Scrapy's meaning."""

from typing import Any

import pytest

from polite_crawler.errors import BadOption
from polite_crawler.rules.options import Options, scrapy_delay, scrapy_delays


@pytest.mark.parametrize("name", ["DOWNLOAD_DELAY", "DOWNLOAD_TIMEOUT", "CLOSESPIDER_TIMEOUT"])
@pytest.mark.parametrize("value", ["x", "-1", "nan", "inf", -0.5])
def test_a_bad_number_of_seconds_of_scrapy_is_a_bad_option(name: str, value: Any) -> None:
    with pytest.raises(BadOption, match=f"^{name}: .* is not a number from 0$"):
        scrapy_delay({name: value}.get)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("CONCURRENT_REQUESTS", "x"), ("CONCURRENT_REQUESTS", "0"), ("CONCURRENT_REQUESTS", -1),
        ("CONCURRENT_REQUESTS", "1.5"), ("DEPTH_LIMIT", "x"), ("DEPTH_LIMIT", "-1"),
        ("CLOSESPIDER_PAGECOUNT", "many"), ("CLOSESPIDER_ITEMCOUNT", "-2"),
    ],
)  # fmt: skip
def test_a_bad_count_of_scrapy_is_a_bad_option(name: str, value: Any) -> None:
    with pytest.raises(BadOption, match=f"^{name}: .* is not a whole number from [01]$"):
        scrapy_delay({name: value}.get)


@pytest.mark.parametrize("slots", [{"a.example": 5}, {"a.example": None}, {"a.example": {"delay": "soon"}}])
def test_a_slot_of_scrapy_that_is_none_is_one_line(slots: dict[str, Any]) -> None:
    with pytest.raises(BadOption, match=r"^DOWNLOAD_SLOTS\['a\.example'\][^\n]*$"):
        scrapy_delays(slots)


@pytest.mark.parametrize(("given", "delay"), [({}, 0.0), ({"DOWNLOAD_DELAY": "2.5"}, 2.5), ({"DEPTH_LIMIT": "0"}, 0.0)])
def test_valid_numbers_of_scrapy_pass(given: dict[str, Any], delay: float) -> None:
    assert scrapy_delay(given.get) == delay


@pytest.mark.parametrize("ranks", [{"a": "x"}, {"a": None}, '{"a": [1]}'])
def test_a_rank_that_is_no_number_is_a_bad_option(ranks: Any) -> None:
    with pytest.raises(BadOption, match=r"^POLITE_SCOPE_RANK\['a'\]: .* is not a whole number$"):
        Options.of({"POLITE_SCOPE_RANK": ranks}.get, {}, version="1")


def test_ranks_are_whole_numbers_by_scope() -> None:
    assert Options.of({"POLITE_SCOPE_RANK": '{"a": "2", "b": -1}'}.get, {}, version="1").scope_rank == {"a": 2, "b": -1}
