"""robots.txt (RFC 9309): its groups and rules over octets, and which rule decides a URL.

Names for other modules are those of `rules.robots`.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Literal

from protego import Protego

from polite_crawler.rules.pathpatterns import PathPattern, compared_target

MAX_OCTETS = 512_000
"""What is read of a file (RFC 9309 section 2.5 asks for at least 500 KiB). A line that the cut divides is dropped."""

MAX_DELAY = 86_400.0
"""The longest Crawl-delay and Request-rate that counts, in seconds."""

EVERYBODY = "*"
"""The agent of the groups that count for every token without a group of its own."""

_AGENT_KEYS = ("user-agent", "useragent", "user agent")
_DISALLOW_KEYS = ("disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw")
_WHITE = b" \t\v\f\0"
_LINE_END = re.compile(rb"\r\n|\r|\n")
_UTF16 = ((b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
_UTF8_BOM = b"\xef\xbb\xbf"
_SECONDS = re.compile(r"(\d{1,12}(?:\.\d*)?|\.\d+)\s*(?:s|sec|secs|second|seconds)?", re.IGNORECASE | re.ASCII)
_RATE = re.compile(r"(\d{1,9})\s*/\s*(\d{1,9})\s*([smhd]?)(?:\s.*)?", re.IGNORECASE | re.ASCII)
_UNIT_SECONDS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86_400}
_LONGEST_TEXT = 500


@dataclass(frozen=True, slots=True)
class Decision:
    """What the file says of one product token and one URL.

    `agent` is the token when a group names it, `*` when only the group for everybody applies, else None. `rule` is
    the deciding rule as text (`Disallow: /private`), `line` its line (from 1), `octets` how specific it is, `group`
    the agents that its group names; None, None, 0 and () when no rule decides, and the URL is allowed.
    """

    allowed: bool
    agent: str | None = None
    group: tuple[str, ...] = ()
    rule: str | None = None
    line: int | None = None
    octets: int = 0


@dataclass(frozen=True, slots=True)
class Rule:
    """An allow or disallow line."""

    allow: bool
    value: str
    line: int
    pattern: PathPattern
    group: "Group"

    @property
    def text(self) -> str:
        """`Disallow: /private`, cut at 500 characters."""
        return f"{'Allow' if self.allow else 'Disallow'}: {self.value}"[:_LONGEST_TEXT]


@dataclass(slots=True, eq=False)
class Group:
    """Agents (as written, `*` for everybody) and the rules that bind them."""

    agents: list[str] = field(default_factory=list)
    rules: list[Rule] = field(default_factory=list)
    open: bool = True
    seen: "dict[str, Record]" = field(default_factory=dict)
    """The last record of each key outside the RFC."""

    def names(self, token: str) -> bool:
        return any(names_token(agent, token) for agent in self.agents)


@dataclass(frozen=True, slots=True)
class Record:
    """A line that is no part of RFC 9309 (Crawl-delay, Content-Signal ...). It ends no group (section 2.2.4), and it
    counts for the agents above it in its group: from `first` up to `above`. When the same key stood there before,
    and more agents followed, it counts for those alone."""

    key: str
    value: str
    line: int
    group: Group | None = None
    first: int = 0
    above: int = 0

    @property
    def agents(self) -> tuple[str, ...]:
        """The agents as written; none for a line in front of the first group."""
        return tuple(self.group.agents[self.first : self.above]) if self.group else ()


class RobotsFile:
    """A parsed file. It never changes; what it computes for a token is kept."""

    def __init__(self, body: bytes) -> None:
        text, self.truncated = _readable(body)
        self._text = text
        self.groups: list[Group] = []
        self.records: list[Record] = []
        for number, key, value in _lines(text):
            self._read(number, key, value)
        self._choices: dict[str, _Choice] = {}

    def decide(self, token: str, url: str) -> Decision:
        """Whether the product token may fetch the URL (section 2.2.2): the rule with the most octets, allow in a tie.

        `/robots.txt` is always allowed. `token` is a product token such as `PoliteCrawler`, no User-Agent.
        """
        choice = self._choice(token)
        target = compared_target(url)
        rule = None if target == b"/robots.txt" else choice.rule_for(target)
        if rule is None:
            return Decision(True, choice.agent)
        return Decision(rule.allow, choice.agent, tuple(rule.group.agents), rule.text, rule.line, rule.pattern.octets)

    def records_for(self, token: str, key: str) -> tuple[Record, ...]:
        """The lines of a key that count for a token: those below its own agents, else those for everybody. Lines in
        front of the first group count for every token, whatever group it has."""
        named = self._choice(token).agent not in (None, EVERYBODY)
        return tuple(record for record in self._by_key(key) if _binds(record, token if named else EVERYBODY))

    def crawl_delay(self, token: str) -> float | None:
        """The seconds of the largest Crawl-delay for the token, up to one day; None when there is none."""
        return _largest(_delay(record.value) for record in self.records_for(token, "crawl-delay"))

    def request_rate(self, token: str) -> float | None:
        """The seconds that Request-rate (`1/10`, `1/5m`) leaves to each request, up to one day; None without one."""
        return _largest(_rate(record.value) for record in self.records_for(token, "request-rate"))

    def interval(self, tokens: Iterable[str]) -> float | None:
        """The least seconds between two requests that the file asks of any of the tokens."""
        return _largest(wait for token in tokens for wait in (self.crawl_delay(token), self.request_rate(token)))

    @property
    def sitemaps(self) -> tuple[str, ...]:
        """The values of the Sitemap lines, in sequence and each one time."""
        return tuple(dict.fromkeys(str(url) for url in self._protego.sitemaps))

    @property
    def host(self) -> str | None:
        """The host that a Host line prefers."""
        host = self._protego.preferred_host
        return None if host is None else str(host)

    def visit_time(self, token: str) -> tuple[str, str] | None:
        """The UTC times of day between which a Visit-time line asks to come, as `06:00`; recorded, not obeyed."""
        window = self._protego.visit_time(token)
        return None if window is None else (f"{window.start_time:%H:%M}", f"{window.end_time:%H:%M}")

    @cached_property
    def _protego(self) -> Protego:
        return Protego.parse(self._text.decode("utf-8", "replace"))

    def _by_key(self, key: str) -> Iterator[Record]:
        return (record for record in self.records if record.key == key)

    def _read(self, number: int, key: str, value: bytes) -> None:
        group = self.groups[-1] if self.groups else None
        kind = _kind(key)
        if kind == "agent":
            if group is None or not group.open:
                group = Group()
                self.groups.append(group)
            group.agents.append(_agent(value))
        elif kind != "other":
            if group is not None:
                group.open = False
                if value:
                    group.rules.append(_rule(kind == "allow", value, number, group))
        else:
            self._read_other(number, key, value.decode("utf-8", "replace"), group)

    def _read_other(self, number: int, key: str, value: str, group: Group | None) -> None:
        first = above = 0
        if group is not None:
            above = len(group.agents)
            before = group.seen.get(key)
            if before is not None:
                first = before.first if before.above == above else before.above
        record = Record(key, value, number, group, first, above)
        self.records.append(record)
        if group is not None:
            group.seen[key] = record

    def _choice(self, token: str) -> "_Choice":
        found = self._choices.get(token)
        if found is None:
            found = self._choices[token] = self._choose(token)
        return found

    def _choose(self, token: str) -> "_Choice":
        """Section 2.2.1: all groups that name the token merge; only without one, all groups for everybody."""
        named = [group for group in self.groups if group.names(token)] if token != EVERYBODY else []
        if named:
            return _Choice(token, named)
        everybody = [group for group in self.groups if EVERYBODY in group.agents]
        return _Choice(EVERYBODY if everybody else None, everybody)


class _Choice:
    """The rules that bind one token, the most specific first."""

    __slots__ = ("_plain", "_rules", "_special", "agent")

    def __init__(self, agent: str | None, groups: Iterable[Group]) -> None:
        rules = [rule for group in groups for rule in group.rules]
        rules.sort(key=lambda rule: (-rule.pattern.octets, not rule.allow))
        self.agent = agent
        self._rules = rules
        self._special = [rule for rule in rules if rule.pattern.wild or rule.pattern.anchored]
        self._plain = tuple(rule.pattern.prefix for rule in rules if not (rule.pattern.wild or rule.pattern.anchored))

    def rule_for(self, target: bytes) -> Rule | None:
        # one call in C says whether any plain rule matches: mostly none does
        candidates = self._rules if target.startswith(self._plain) else self._special
        return next((rule for rule in candidates if rule.pattern.matches(target)), None)


def parse(body: bytes) -> RobotsFile:
    """The file of a body with its content coding removed. Any octets are a file: what is no rule is no rule."""
    return RobotsFile(body)


@lru_cache(maxsize=65_536)
def names_token(agent: str, token: str) -> bool:
    """Whether the value of a user-agent line names a product token: it begins with the whole token (any case), and
    no character that a token can hold follows."""
    agent, token = agent.lower(), token.lower()
    if not token or not agent.startswith(token):
        return False
    following = agent[len(token) : len(token) + 1]
    if following and following in "abcdefghijklmnopqrstuvwxyz_-":
        return False
    return not (following.isdigit() and any(char.isdigit() for char in token))


def _readable(body: bytes) -> tuple[bytes, bool]:
    """The octets that are read, and whether the file went on."""
    truncated = len(body) > MAX_OCTETS
    if truncated:
        body = body[:MAX_OCTETS]
        body = body[: max(body.rfind(b"\n"), body.rfind(b"\r")) + 1]
    for mark, coding in _UTF16:
        if body.startswith(mark):
            wide = b"\0" in body[:64]
            return (body[2:].decode(coding, "replace").encode() if wide else body[2:]), truncated
    for length in (3, 2, 1):
        if body.startswith(_UTF8_BOM[:length]):
            return body[length:], truncated
    return body, truncated


def _lines(text: bytes) -> Iterator[tuple[int, str, bytes]]:
    """Number, key in lower case and value of each line that has both. Only CR, LF and CRLF end a line."""
    for number, line in enumerate(_LINE_END.split(text), 1):
        content = line.partition(b"#")[0].strip(_WHITE)
        if not content:
            continue
        key, colon, value = content.partition(b":")
        if not colon:
            words = content.split()
            if len(words) != 2:
                continue
            key, value = words
        yield number, key.strip(_WHITE).decode("utf-8", "replace").lower(), value.strip(_WHITE)


@lru_cache(maxsize=256)
def _kind(key: str) -> Literal["agent", "allow", "disallow", "other"]:
    """Keys count by their beginning, as in Google's parser."""
    if key.startswith(_AGENT_KEYS):
        return "agent"
    if key.startswith("allow"):
        return "allow"
    return "disallow" if key.startswith(_DISALLOW_KEYS) else "other"


def _agent(value: bytes) -> str:
    text = value.decode("utf-8", "replace")
    return EVERYBODY if text[:1] == "*" and (len(text) == 1 or text[1].isspace()) else text


def _rule(allow: bool, value: bytes, line: int, group: Group) -> Rule:
    # an author who forgot the slash of a disallow meant the path below the root
    pattern = value if allow or value[:1] in b"/*$" else b"/" + value
    return Rule(allow, value.decode("utf-8", "replace"), line, PathPattern.of(pattern), group)


def _binds(record: Record, token: str) -> bool:
    if record.group is None or token == EVERYBODY:
        return record.group is None or EVERYBODY in record.agents
    return any(names_token(agent, token) for agent in record.agents)


def _delay(value: str) -> float | None:
    found = _SECONDS.fullmatch(value.strip())
    return float(found[1]) if found else None


def _rate(value: str) -> float | None:
    found = _RATE.fullmatch(value.strip())
    if not found or not int(found[1]):
        return None
    return int(found[2]) * _UNIT_SECONDS[found[3].lower()] / int(found[1])


def _largest(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return min(max(known), MAX_DELAY) if known else None
