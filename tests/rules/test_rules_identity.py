"""User-Agent, From and product tokens."""

from typing import Any

import pytest

from polite_crawler.errors import BadOption
from polite_crawler.rules.identity import DEFAULT_BOT_URL, DEFAULT_TOKEN, identity, product_token

PAGE = "https://mark1russell7.github.io/crawler/bot/"


def test_the_default_names_the_page_for_site_owners() -> None:
    who = identity(version="0.1.0")
    assert who.user_agent == f"PoliteCrawler/0.1.0 (+{PAGE})"
    assert (who.token, who.tokens, who.mailbox) == ("PoliteCrawler", ("PoliteCrawler",), None)
    assert (DEFAULT_BOT_URL, DEFAULT_TOKEN) == (PAGE, "PoliteCrawler")


@pytest.mark.parametrize(
    ("contact", "suffix", "mailbox"),
    [
        ("ops@example.com", "; ops@example.com)", "ops@example.com"),
        (" mailto:ops@example.com ", "; ops@example.com)", "ops@example.com"),
        ("a.b+c(x)@example.com", None, None),
        ("https://example.com/bot (us)", "; +https://example.com/bot%20%28us%29)", None),
        ("o'neil@mail.example.co.uk", "; o'neil@mail.example.co.uk)", "o'neil@mail.example.co.uk"),
    ],
)
def test_a_contact_is_a_mailbox_or_a_url(contact: str, suffix: str | None, mailbox: str | None) -> None:
    if suffix is None:
        with pytest.raises(BadOption, match="POLITE_CONTACT"):
            identity(version="1", contact=contact)
        return
    who = identity(version="1", contact=contact)
    assert who.user_agent == f"PoliteCrawler/1 (+{PAGE}{suffix}"
    assert who.mailbox == mailbox


@pytest.mark.parametrize(
    ("options", "agent"),
    [
        ({"user_agent": "MyBot/2.0"}, "MyBot/2.0"),
        ({"user_agent": " MyBot "}, "MyBot"),
        ({"user_agent": "MyBot/2.0", "contact": "a@b.example"}, "MyBot/2.0 (a@b.example)"),
        ({"user_agent": "MyBot/2.0 (a@b.example)", "contact": "a@b.example"}, "MyBot/2.0 (a@b.example)"),
        ({"bot_url": ""}, "PoliteCrawler/1"),
        ({"bot_url": "", "contact": "a@b.example"}, "PoliteCrawler/1 (a@b.example)"),
        ({"bot_url": "https://example.org/(b)"}, "PoliteCrawler/1 (+https://example.org/%28b%29)"),
    ],
)
def test_user_agents(options: dict[str, Any], agent: str) -> None:
    assert identity(version="1", **options).user_agent == agent


@pytest.mark.parametrize(
    ("options", "tokens"),
    [
        ({"user_agent": "MyBot/1"}, ("MyBot",)),
        ({"user_agent": f"MyBot/1 (+{PAGE})"}, ("MyBot", "PoliteCrawler")),
        ({"user_agent": f"MyBot/1 (+{PAGE})", "obey_default_token": False}, ("MyBot",)),
        ({"on_behalf_of": ["Claude-User", "claude-user", "politecrawler"]}, ("PoliteCrawler", "Claude-User")),
        (
            {"user_agent": f"MyBot (+{PAGE})", "on_behalf_of": [" Claude-User "]},
            ("MyBot", "PoliteCrawler", "Claude-User"),
        ),
    ],
)
def test_the_tokens_that_must_all_allow(options: dict[str, Any], tokens: tuple[str, ...]) -> None:
    assert identity(version="1", **options).tokens == tokens


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"user_agent": "My Bot/1", "on_behalf_of": ["Claude User"]}, "POLITE_ON_BEHALF_OF"),
        ({"on_behalf_of": ["*"]}, "POLITE_ON_BEHALF_OF"),
        ({"on_behalf_of": [""]}, "POLITE_ON_BEHALF_OF"),
        ({"user_agent": "Bot2/1"}, "POLITE_USER_AGENT"),
        ({"user_agent": "/1"}, "POLITE_USER_AGENT"),
        ({"user_agent": "(x)"}, "POLITE_USER_AGENT"),
        ({"user_agent": "Bot/1\nX: y"}, "POLITE_USER_AGENT"),
        ({"user_agent": "Bøt/1"}, "POLITE_USER_AGENT"),
        ({"user_agent": "Bot " + "x" * 500}, "POLITE_USER_AGENT"),
        ({"user_agent": "Mozilla/5.0 (X11; Linux) Chrome/120"}, "POLITE_USER_AGENT"),
        ({"contact": "nobody"}, "POLITE_CONTACT"),
        ({"contact": "a@b@c.example"}, "POLITE_CONTACT"),
        ({"contact": "a@-b.example"}, "POLITE_CONTACT"),
        ({"contact": "Ops <a@b.example>"}, "POLITE_CONTACT"),
        ({"contact": "a@b.example\r\nX: y"}, "POLITE_CONTACT"),
        ({"contact": "ftp://example.com/"}, "POLITE_CONTACT"),
        ({"contact": "a@" + "b." * 200 + "example"}, "POLITE_CONTACT"),
        ({"bot_url": "example.com"}, "POLITE_BOT_URL"),
        ({"bot_url": "https://example.com/a b"}, "POLITE_BOT_URL"),
        ({"bot_url": "https://example.com/é"}, "POLITE_BOT_URL"),
    ],
)
def test_a_bad_option_is_named(options: dict[str, Any], named: str) -> None:
    with pytest.raises(BadOption) as caught:
        identity(version="1", **options)
    assert str(caught.value).startswith(named + ": ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("agent", "token"), [("A-b_c/1 x", "A-b_c"), ("Bot (x)", "Bot"), ("Bot", "Bot")])
def test_the_product_token_is_the_name_of_the_first_product(agent: str, token: str) -> None:
    assert product_token(agent) == token
