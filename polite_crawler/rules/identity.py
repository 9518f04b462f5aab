"""Who the crawler says it is: User-Agent, From, and the product tokens that robots.txt is asked for."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from polite_crawler.errors import BadOption
from polite_crawler.rules.urls import is_http, normalize

DEFAULT_TOKEN = "PoliteCrawler"  # noqa: S105  (a product token, no secret)
DEFAULT_BOT_URL = "https://mark1russell7.github.io/crawler/bot/"
"""The page that tells site owners what this crawler does and how to refuse it."""

_TOKEN = re.compile(r"[A-Za-z_-]{1,64}").fullmatch
_PRODUCT = re.compile(r"([^\s/();,]+)(?:/[^\s/();,]+)?(?= |$)")
_VISIBLE = re.compile(r"[\x21-\x7e]+(?: [\x21-\x7e]+)*").fullmatch
_ATEXT = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_MAILBOX = re.compile(rf"{_ATEXT}(?:\.{_ATEXT})*@{_LABEL}(?:\.{_LABEL})*").fullmatch


@dataclass(frozen=True, slots=True)
class Identity:
    """What the crawler sends about itself.

    `token` is the product token of the User-Agent (RFC 9309 section 2.2.1). `tokens` are all tokens whose rules must
    allow a URL: the own one first, then PoliteCrawler (when the User-Agent links its page), then those it fetches on
    behalf of. `mailbox` is the value of From (RFC 9110 section 10.1.2), or None.
    """

    user_agent: str
    token: str
    tokens: tuple[str, ...]
    mailbox: str | None = None

    @property
    def fields(self) -> dict[bytes, bytes]:
        """The header fields that say it."""
        fields = {b"User-Agent": self.user_agent.encode("latin-1")}
        if self.mailbox is not None:
            fields[b"From"] = self.mailbox.encode("latin-1")
        return fields


def identity(
    *,
    version: str,
    user_agent: str = "",
    bot_url: str = DEFAULT_BOT_URL,
    contact: str = "",
    on_behalf_of: Iterable[str] = (),
    obey_default_token: bool = True,
) -> Identity:
    """The identity of the options; each argument is the setting of that name. Raises BadOption for one that HTTP
    cannot send or that no site owner could use."""
    mailbox, address = _contact(contact)
    agent = _user_agent(user_agent.strip(), version, _bot_url(bot_url), address)
    token = product_token(agent)
    tokens = [token]
    if obey_default_token and DEFAULT_BOT_URL in agent:
        tokens.append(DEFAULT_TOKEN)
    tokens += [_checked_token(one.strip(), "POLITE_ON_BEHALF_OF") for one in on_behalf_of]
    return Identity(agent, token, _distinct(tokens), mailbox)


def product_token(user_agent: str) -> str:
    """The product token of a User-Agent: the name of its first product, for example PoliteCrawler.

    Raises BadOption when it is none (RFC 9309: letters, `_` and `-` only), or the token of every browser.
    """
    product = _PRODUCT.match(user_agent)
    token = _checked_token(product[1] if product else user_agent[:60], "POLITE_USER_AGENT")
    if token.lower() == "mozilla":
        raise BadOption("POLITE_USER_AGENT: begin with your own product token; Mozilla names every browser")
    return token


def _checked_token(token: str, option: str) -> str:
    if not _TOKEN(token):
        raise BadOption(f"{option}: {token[:60]!r} is no product token; use letters, '_' and '-' (RFC 9309)")
    return token


def _user_agent(given: str, version: str, bot_url: str, address: str) -> str:
    if not given:
        about = "; ".join(part for part in (bot_url and "+" + bot_url, address) if part)
        return f"{DEFAULT_TOKEN}/{version} ({about})" if about else f"{DEFAULT_TOKEN}/{version}"
    if not _VISIBLE(given) or len(given) > 500:
        raise BadOption("POLITE_USER_AGENT: HTTP can send only visible ASCII in one line of at most 500 characters")
    return f"{given} ({address})" if address and address not in given else given


def _bot_url(url: str) -> str:
    url = url.strip()
    if url and not (is_http(url) and _VISIBLE(url) and " " not in url):
        raise BadOption(f"POLITE_BOT_URL: {url[:200]!r} is no http or https URL")
    return _in_comment(url)


def _contact(contact: str) -> tuple[str | None, str]:
    """The mailbox for From, and what the User-Agent says."""
    text = contact.strip()
    mailbox = text[7:] if text[:7].lower() == "mailto:" else text
    if not text:
        return None, ""
    if len(mailbox) <= 254 and _MAILBOX(mailbox):
        return mailbox, _in_comment(mailbox)
    if is_http(text):
        return None, "+" + _in_comment(normalize(text))
    raise BadOption(f"POLITE_CONTACT: {text[:200]!r} is no mail address and no http or https URL")


def _in_comment(text: str) -> str:
    """Parentheses would end the comment of the User-Agent (RFC 9110 section 5.6.5)."""
    return text.replace("(", "%28").replace(")", "%29")


def _distinct(tokens: Iterable[str]) -> tuple[str, ...]:
    by_name: dict[str, str] = {}
    for token in tokens:
        by_name.setdefault(token.lower(), token)
    return tuple(by_name.values())
