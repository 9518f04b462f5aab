"""What stands beside the tools: the list of the documents, the prompt and the completions."""

import asyncio
import json
from pathlib import Path

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_lab import ERAS, hosted
from mcp_types import ResourceTemplateReference
from store_lab import StoreLab

from polite_crawler.mcp.resources import COMPLETIONS, DOCS_A_PAGE

both = pytest.mark.parametrize("era", ERAS)
PAGES = DOCS_A_PAGE + 5


@pytest.fixture
def stored(store_dir: Path) -> tuple[Path, list[str]]:
    """A store with more documents than a page of the list has, and the ids of their captures."""
    lab = StoreLab(store_dir)
    captures = [lab.page(f"https://x.example/{number:03}", f"page {number}").id for number in range(PAGES)]
    lab.close()
    return store_dir, captures


@both
def test_the_list_of_the_documents_goes_on_by_cursor(stored: tuple[Path, list[str]], era: str) -> None:
    async def main() -> None:
        async with hosted(stored[0], read_only=True) as (server, _), Client(server, mode=era) as client:
            seen, cursor = [], ""
            while cursor is not None:
                found = await client.read_resource(f"polite-crawler://docs{cursor and f'?cursor={cursor}'}")
                page = json.loads(found.contents[0].text)
                assert len(page["docs"]) <= DOCS_A_PAGE
                seen += page["docs"]
                cursor = page["next_cursor"]
            assert sorted(seen) == [f"url:https://x.example/{number:03}" for number in range(PAGES)]
            with pytest.raises(MCPError, match="no such page"):
                await client.read_resource("polite-crawler://docs?cursor=x")

    asyncio.run(main())


@both
def test_ids_of_captures_are_completed(stored: tuple[Path, list[str]], era: str) -> None:
    async def main() -> None:
        async with hosted(stored[0], read_only=True) as (server, _), Client(server, mode=era) as client:
            ref = ResourceTemplateReference(type="ref/resource", uri="polite-crawler://capture/{capture}")
            begun = await client.complete(ref, {"name": "capture", "value": "fetch."})
            assert (len(begun.completion.values), begun.completion.has_more) == (COMPLETIONS, True)
            assert set(begun.completion.values) < set(stored[1])
            whole = await client.complete(ref, {"name": "capture", "value": stored[1][7][:-2]})
            assert (whole.completion.values, whole.completion.has_more) == ([stored[1][7]], False)
            other = await client.complete(ref, {"name": "other", "value": "fetch."})
            assert other.completion.values == []

    asyncio.run(main())


@both
def test_the_prompt_asks_for_citations(stored: tuple[Path, list[str]], era: str) -> None:
    async def main() -> None:
        async with hosted(stored[0], read_only=True) as (server, _), Client(server, mode=era) as client:
            words = {"question": "When is high water?", "site": "https://x.example/\u00e9"}
            found = await client.get_prompt("research", words)
            text = found.messages[0].content.text
            assert text.startswith(
                "Question: When is high water?\nStart at https://x.example/%C3%A9 with crawl_discover.\n"
            )
            assert "crawl_verify" in text

    asyncio.run(main())
