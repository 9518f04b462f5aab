"""The attacks of the shared cases on the real server, by the SDK's own client: what a page says stands in the envelope
and nowhere else.
"""

import asyncio
import html
import json
import re
from pathlib import Path
from typing import Any

import pytest
from envelope_reader import CONTROLS, one_delimiter
from mcp import Client
from mcp_lab import ERAS, call, hosted, parts
from mcp_types import CallToolResult, ElicitResult
from shared_files import facts, needs_cases
from sites import Site
from store_lab import StoreLab

from polite_crawler.mcp.answers import MAX_CHARACTERS

ATTACKS: list[dict[str, Any]] = facts("envelope_attacks").get("attacks", [])
pytestmark = needs_cases
both = pytest.mark.parametrize("era", ERAS)

STORE_CALLS = ("crawl_find", "crawl_read", "crawl_verify", "crawl_extract", "crawl_diff")


def said(attack: dict[str, Any]) -> str:
    """What the page says. No page can hold a lone surrogate: in JSON-LD it stands as an escape."""
    return str(attack["input"]) * int(attack.get("repeat", 1)) + str(attack.get("suffix", ""))


def page_of(attack: dict[str, Any], word: str, number: int) -> bytes:
    """A page that says it in its title, a meta, its JSON-LD, a paragraph and a link."""
    text = said(attack)
    shown = html.escape(text)
    data = json.dumps({"@type": "Product", "name": text[:2000]}).replace("</", "<\\/")
    return (
        f"<!doctype html><title>{word} {shown[:500]}</title><meta name=description content='{shown[:500]}'>"
        f'<script type="application/ld+json">{data}</script>'
        f"<p>{word} begins. {shown}<p>{word} ends {number}. <a href=/x>{shown[:500]}</a>"
    ).encode("utf-8", "replace")


def pieces(attack: dict[str, Any]) -> set[str]:
    """The words of an attack that no answer of ours has by itself."""
    return set(re.findall(r"[^\W_]{8,}", attack["input"].casefold()))


def texts_of(result: CallToolResult) -> list[str]:
    return [block.text for block in result.content if block.type == "text"]


def outside(result: CallToolResult) -> str:
    """Everything of a result that is no envelope."""
    whole = result.model_dump(mode="json")
    whole["content"] = [block for at, block in enumerate(whole["content"]) if at == 0 or block["type"] != "text"]
    return json.dumps(whole, ensure_ascii=False).casefold()


def check(result: CallToolResult, attack: dict[str, Any]) -> None:
    texts = texts_of(result)
    assert not result.is_error, texts[0]
    assert sum(map(len, texts)) <= MAX_CHARACTERS
    assert not [piece for piece in pieces(attack) if piece in outside(result)]
    for text in texts[1:]:
        assert one_delimiter(text, len(parts(result)))
        assert not CONTROLS.search(text)


@both
def test_a_page_is_in_the_envelope_alone(store_dir: Path, era: str) -> None:
    lab = StoreLab(store_dir)
    docs = {attack["id"]: f"http://{attack['id'].lower()}.test/" for attack in ATTACKS}
    for attack in ATTACKS:
        for at in (0, 60):
            lab.body(docs[attack["id"]], page_of(attack, f"alpha{attack['id']}", at), at=float(at))
    lab.close()

    async def main() -> int:
        answers = 0
        async with hosted(store_dir, read_only=True) as (server, _), Client(server, mode=era) as client:
            for attack in ATTACKS:
                doc, word = docs[attack["id"]], f"alpha{attack['id']}"
                arguments: dict[str, dict[str, Any]] = {
                    "crawl_find": {"query": word},
                    "crawl_read": {"doc": doc},
                    "crawl_verify": {"doc": doc, "quote": f"{word} begins"},
                    "crawl_extract": {"doc": doc, "fields": {"a": {"value": f"{word} ends"}}},
                    "crawl_diff": {"doc": doc},
                }
                for tool in STORE_CALLS:
                    result = await client.call_tool(tool, arguments[tool])
                    check(result, attack)
                    answers += len(parts(result)) > 0
        return answers

    # each of them gives page text, for each attack
    assert asyncio.run(main()) >= 4 * len(ATTACKS)


@both
def test_an_error_says_nothing_of_what_was_asked(store_dir: Path, era: str) -> None:
    StoreLab(store_dir).close()

    async def main() -> None:
        async with hosted(store_dir) as (server, _), Client(server, mode=era) as client:
            for attack in ATTACKS:
                text = said(attack)[:2000]
                for tool, arguments in (
                    ("crawl_read", {"doc": text}),
                    ("crawl_verify", {"doc": text, "quote": text}),
                    ("crawl_site", {"url": f"ftp://a.test/{text}"}),
                ):
                    result = await client.call_tool(tool, arguments)
                    words = " ".join(texts_of(result)).casefold()
                    assert result.is_error
                    assert not [piece for piece in pieces(attack) if piece in words], (tool, text, words)

    asyncio.run(main())


@pytest.mark.parametrize("attack", [one for one in ATTACKS if one["where"] == "robots"], ids=lambda one: one["id"])
def test_robots_txt_is_no_text_of_an_answer(site: Site, store_dir: Path, attack: dict[str, Any]) -> None:
    site.reset(robots_text=attack["input"])

    async def main() -> None:
        async with hosted(store_dir) as (server, _), Client(server) as client:
            for tool, key in (("crawl_fetch", "urls"), ("crawl_discover", "url"), ("crawl_site", "url")):
                result = await client.call_tool(tool, {key: site.url("/about")})
                # that robots.txt disallows a page is our own word
                assert not [piece for piece in pieces(attack) - {"disallow"} if piece in outside(result)]
        assert site.log(path="/about") == []

    asyncio.run(main())


@both
@pytest.mark.parametrize(
    "attack", [one for one in ATTACKS if "not-in-elicit" in one["must"]], ids=lambda one: one["id"]
)
def test_a_question_shows_the_url_alone_and_encoded(store_dir: Path, attack: dict[str, Any], era: str) -> None:
    lab = StoreLab(store_dir)
    url = re.sub(r"\s", lambda found: f"%{ord(found[0]):02X}", attack["input"])
    lab.body(url, page_of(attack, "alpha", 0), hold="ai-input=no")
    lab.close()
    asked: list[str] = []

    async def answer(_: Any, params: Any) -> ElicitResult:
        asked.append(params.message)
        return ElicitResult(action="decline")

    async def main() -> None:
        async with (
            hosted(store_dir, read_only=True) as (server, _),
            Client(server, mode=era, elicitation_callback=answer) as client,
        ):
            assert (await call(client, "crawl_read", doc=url, user_provided=True))["held_back"]

    asyncio.run(main())
    (message,) = asked
    assert attack["input"] not in message
    assert f"URL: {url}\n" in message
    assert "alpha" not in message
