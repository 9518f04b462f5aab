"""Whole crawls that sign, on a site that verifies each request on its arrival."""

import shutil
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from engine_lab import EndingSpider, crawl, log_lines
from scrapy import Request
from signing_lab import AGENT, AGENT_URL, KeyFile, nonces

from polite_crawler import open_crawler
from polite_crawler.errors import BadOption
from polite_crawler.signing import WebBotAuthSigner
from polite_crawler.spiders.page import PageSpider
from polite_crawler.spiders.site import SiteSpider
from polite_crawler.testsite.site import Site


@pytest.fixture
def key(tmp_path: Path) -> KeyFile:
    return KeyFile(tmp_path)


def test_each_request_of_a_crawl_verifies(site: Site, store_dir: Path, key: KeyFile) -> None:
    """robots.txt, pages, redirects in the host and out of it, sitemaps: each with a nonce of its own."""
    site.let_in(key.jwks)
    urls = " ".join([site.url("/"), site.url("/redirects/chain/3"), site.url("/redirects/to/host")])
    run = crawl(
        SiteSpider, store_dir, url=urls, max_pages=25, sitemaps=True, allow_host=site.hosts[1], settings=key.settings()
    )
    seen = site.log()
    assert len(seen) > 20
    assert {one.host for one in seen} >= {site.hosts[0], site.hosts[1]}
    assert {one.path for one in seen} >= {"/robots.txt", "/redirects/chain/0", "/sitemap.xml"}
    assert [one for one in seen if one.status == 403] == []
    used = nonces(seen)
    assert "" not in used
    assert len(set(used)) == len(seen)
    keyid = WebBotAuthSigner.of_key(key.key, AGENT).keyid
    sent = [line for line in log_lines(store_dir) if line["outcome"] != "skipped"]
    assert [line["signed"] for line in sent] == [{"keyid": keyid, "agent": AGENT_URL}] * len(seen)
    assert run.summary.refused == 0


def test_the_key_stands_nowhere_in_the_store(site: Site, store_dir: Path, key: KeyFile) -> None:
    site.let_in(key.jwks)
    crawl(PageSpider, store_dir, url=site.url("/about"), settings=key.settings())
    secrets = [key.path.read_bytes().splitlines()[1], key.key.private_bytes_raw(), str(key.path).encode()]
    written = b"".join(path.read_bytes() for path in store_dir.rglob("*") if path.is_file())
    assert [secret for secret in secrets if secret in written] == []


def test_a_slow_lane_outlasts_the_lifetime_of_a_signature(site: Site, store_dir: Path, key: KeyFile) -> None:
    """The second request waits longer than a signature lives: it is signed when it is sent."""
    site.let_in(key.jwks)
    settings = key.settings(POLITE_SIGN_LIFETIME="1s", POLITE_PAGE_INTERVAL=1.2)
    run = crawl(PageSpider, store_dir, url=f"{site.url('/p/1')} {site.url('/p/2')}", settings=settings)
    assert [page.outcome for page in run.pages] == ["ok", "ok"]
    assert len(site.log()) == 3


def test_without_a_key_a_verifying_site_refuses(site: Site, store_dir: Path, key: KeyFile) -> None:
    site.let_in(key.jwks)
    (page,) = crawl(PageSpider, store_dir, url=site.url("/about")).pages
    assert page.outcome == "blocked"
    assert all("signed" not in line for line in log_lines(store_dir))


def test_the_signature_fields_of_a_caller_are_dropped(site: Site, store_dir: Path, key: KeyFile) -> None:
    class Forging(EndingSpider):
        async def start(self) -> Any:
            headers = {"Signature": "sig1=:AAAA:", "signature-input": 'sig1=("@authority")', "Signature-Agent": "x"}
            for url in self.urls:
                yield Request(url, callback=self.got, errback=self.failed, headers=headers, meta={"polite_sign": 1})

    for settings, there in (({}, []), (key.settings(), [AGENT_URL])):
        site.reset()
        run = crawl(Forging, store_dir / str(len(there)), urls=[site.url("/redir?to=/p/1")], settings=settings)
        assert [ending for _, ending in run.spider.endings] == ["callback 200"]  # type: ignore[attr-defined]
        seen = site.log(path="/p/1")
        assert len(seen) == 1
        fields = [value for name, value in seen[0].headers if name.lower() == "signature-agent"]
        assert fields == [f'sig1="{one}"' for one in there]
        assert sum(name.lower() == "signature" for name, _ in seen[0].headers) == len(there)


class Broken:
    """A signer whose hardware is gone."""

    keyid = "broken"
    agent = AGENT_URL

    def headers(self, method: str, url: str) -> Mapping[str, str]:
        raise OSError("the token is not\nplugged in")


class Splitting(Broken):
    """A signer whose fields would be a second request."""

    def headers(self, method: str, url: str) -> Mapping[str, str]:
        return {"Signature": "a\r\n\r\nGET /x HTTP/1.1"}


@pytest.mark.parametrize(
    ("signer", "reason"),
    [
        (Broken(), "the token is not plugged in"),
        (Splitting(), "it gave a header field that cannot be sent: 'Signature'"),
    ],
)
def test_a_signer_that_fails_sends_nothing(site: Site, store_dir: Path, signer: Any, reason: str) -> None:
    quick = {"allow_private": True, "page_interval": 0.01, "slow_factor": 0, "min_free": 0}
    with open_crawler(store_dir, signer=signer, **quick) as crawler:
        page = crawler.fetch(site.url("/about"))
    assert site.log() == []
    assert (page.outcome, page.status) == ("skipped", None)
    lines = log_lines(store_dir)
    assert {(line["outcome"], line["reason"]) for line in lines} == {("skipped", "signer")}
    assert lines[0]["note"] == f"signer failed: {reason}"
    assert all("signed" not in line and "request" not in line for line in lines)


def test_a_signer_of_the_program_signs(site: Site, store_dir: Path, key: KeyFile) -> None:
    site.let_in(key.jwks)
    quick = {"allow_private": True, "page_interval": 0.01, "slow_factor": 0, "min_free": 0}
    with open_crawler(store_dir, signer=WebBotAuthSigner.of_key(key.key, AGENT), **quick) as crawler:
        assert crawler.fetch(site.url("/about")).outcome == "ok"
    assert all(nonces(site.log()))


def test_never_and_on_request(site: Site, store_dir: Path, key: KeyFile) -> None:
    urls = " ".join(site.url(path) for path in ("/p/1", "/signature/asked?status=200", "/p/2"))
    crawl(PageSpider, store_dir / "never", url=urls, settings=key.settings(POLITE_SIGN="never"))
    assert not any(nonces(site.log()))
    site.reset()
    crawl(PageSpider, store_dir / "asked", url=urls, settings=key.settings(POLITE_SIGN="on-request"))
    signed = {one.path: bool(nonce) for one, nonce in zip(site.log(), nonces(site.log()), strict=True)}
    assert signed == {"/robots.txt": False, "/p/1": False, "/signature/asked": False, "/p/2": True}


@pytest.mark.parametrize("status", [401, 403, 429])
def test_a_server_that_asks_gets_the_request_again_with_a_signature(
    site: Site, store_dir: Path, key: KeyFile, status: int
) -> None:
    """The refusal that asks does not stop the host, and it is asked once."""
    urls = f"{site.url(f'/signature/asked?status={status}')} {site.url('/p/2')}"
    run = crawl(PageSpider, store_dir, url=urls, settings=key.settings(POLITE_SIGN="on-request"))
    assert [page.outcome for page in run.pages] == ["ok", "ok"]
    asked = site.log(path="/signature/asked")
    assert [bool(nonce) for nonce in nonces(asked)] == [False, True]
    first, second = run.captures("fetch")[:1], [one for one in run.captures("fetch") if one.signed]
    assert first[0].status == status
    assert "the server asks for a signature" in (first[0].note or "")
    assert len(second) == 2


def test_robots_txt_is_read_with_a_signature_when_its_server_asks(site: Site, store_dir: Path, key: KeyFile) -> None:
    """A 403 would mean that there is no file, and everything would be allowed."""
    site.let_in(key.jwks)
    settings = key.settings(POLITE_SIGN="on-request")
    (page,) = crawl(PageSpider, store_dir, url=site.url("/private/diary"), settings=settings).pages
    assert [(one.path, one.status) for one in site.log()] == [("/robots.txt", 403), ("/robots.txt", 200)]
    assert (page.note or "").startswith("robots.txt disallows")


@pytest.mark.parametrize("when", ["always", "never", "on-request"])
def test_a_refusal_of_a_signed_request_is_a_refusal(
    site: Site, store_dir: Path, key: KeyFile, tmp_path: Path, when: str
) -> None:
    """Another key than the site knows: it asks for ever, and is asked twice at most."""
    (tmp_path / "other").mkdir()
    site.let_in(KeyFile(tmp_path / "other").jwks)
    (page,) = crawl(PageSpider, store_dir, url=site.url("/about"), settings=key.settings(POLITE_SIGN=when)).pages
    assert (page.outcome, page.status) == ("blocked", 403)
    assert len(site.log(path="/about")) <= 2
    again = crawl(PageSpider, store_dir, url=site.url("/p/1"), settings=key.settings(POLITE_SIGN=when))
    assert (again.pages[0].note or "").startswith("host stopped until ")


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"POLITE_SIGN_KEY": "/no/such/key.pem"}, "cannot read the key /no/such/key.pem"),
        ({"POLITE_SIGNATURE_AGENT": ""}, "a signature needs a key and an agent"),
        ({"POLITE_SIGNATURE_AGENT": "http://bot.example.com"}, "no https URL"),
        ({"POLITE_SIGN": "sometimes"}, "POLITE_SIGN: 'sometimes' is none of always, on-request, never"),
        ({"POLITE_SIGN_COVER": ["@body"]}, "cannot cover '@body'"),
        ({"POLITE_SIGN_FORM": "string"}, "POLITE_SIGN_FORM"),
        ({"POLITE_SIGN_LIFETIME": "2d"}, "POLITE_SIGN_LIFETIME"),
    ],
)
def test_a_bad_setting_ends_the_run_before_anything_is_sent(
    site: Site, store_dir: Path, key: KeyFile, settings: dict[str, str], words: str
) -> None:
    with pytest.raises(BadOption, match=words.replace("(", "\\(")):
        crawl(PageSpider, store_dir, url=site.url("/about"), settings=key.settings(**settings))
    assert site.log() == []


@pytest.mark.browser
@pytest.mark.skipif(not (shutil.which("chromium") and find_spec("playwright")), reason="there is no browser here")
def test_each_request_of_a_rendered_page_verifies(site: Site, store_dir: Path, key: KeyFile) -> None:
    """Scripts, style sheets, fetches, and a fetch through a redirect to another host: each by its own signature."""
    site.let_in(key.jwks)
    urls = " ".join(site.url(path) for path in ("/js/file", "/js/fetch", "/js/redirect"))
    run = crawl(PageSpider, store_dir, url=urls, settings=key.settings(POLITE_RENDER="always"))
    assert {page.outcome for page in run.pages} == {"ok"}
    seen = site.log()
    assert {one.path for one in seen} >= {"/js/app.js", "/js/data.json", "/robots.txt"}
    assert {one.host for one in seen} >= {site.hosts[0], site.hosts[1]}
    assert [one.target for one in seen if one.status == 403] == []
    assert len({*nonces(seen), ""}) == len(seen) + 1
    assert all(one.signed for one in run.captures("subresource"))
    assert not any(one.signed for one in run.captures("render"))
