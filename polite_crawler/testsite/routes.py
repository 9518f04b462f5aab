"""The table of what the site serves. docs are made from it, and each request is answered by it."""

from polite_crawler.testsite.caching import CACHING
from polite_crawler.testsite.catalogue import Family, Route
from polite_crawler.testsite.challenges import BOT_CHECKS
from polite_crawler.testsite.charsets import CHARSETS
from polite_crawler.testsite.codings import CODINGS
from polite_crawler.testsite.control import CONTROLS
from polite_crawler.testsite.exchange import Ask
from polite_crawler.testsite.feeds import FEEDS
from polite_crawler.testsite.framing import FRAMING
from polite_crawler.testsite.office import OFFICE
from polite_crawler.testsite.pages import PAGES
from polite_crawler.testsite.redirects import REDIRECTS
from polite_crawler.testsite.refusals import SLOW, STATUSES
from polite_crawler.testsite.robots import ROBOTS, VARIANTS
from polite_crawler.testsite.scripts import SCRIPTS
from polite_crawler.testsite.secrets import SECRETS
from polite_crawler.testsite.signals import SIGNALS
from polite_crawler.testsite.signatures import SIGNATURES
from polite_crawler.testsite.sitemaps import SITEMAPS
from polite_crawler.testsite.traps import TRAPS
from polite_crawler.testsite.venue import VENUE

FAMILIES: tuple[Family, ...] = (
    PAGES, ROBOTS, REDIRECTS, STATUSES, SLOW, CODINGS, FRAMING, CHARSETS, BOT_CHECKS, CACHING, SIGNALS, SECRETS, TRAPS,
    SITEMAPS, FEEDS, OFFICE, SCRIPTS, SIGNATURES, VENUE,
)  # fmt: skip
ROUTES: tuple[Route, ...] = tuple(route for family in FAMILIES for route in family.routes)

_EXACT = {route.path: route for route in ROUTES if not route.path.endswith("}")}
_PREFIX = {route.path[: route.path.index("{")]: route for route in ROUTES if route.path.endswith("}")}


def find_route(ask: Ask) -> Route | None:
    """The route of a path: the exact one, else the one with the longest prefix, whose rest `ask` then holds."""
    route = _EXACT.get(ask.path)
    if route is not None:
        return route
    end = ask.path.rfind("/")
    while end >= 0:
        prefix = ask.path[: end + 1]
        route = _PREFIX.get(prefix)
        if route is not None:
            ask.rest = ask.path[end + 1 :]
            return route
        end = ask.path.rfind("/", 0, end)
    return None


def markdown() -> str:
    """The table as Markdown: each family, the variants of robots.txt, and the controls."""
    parts = []
    for family in FAMILIES:
        parts.append(_table(family.title, "path", {route.pattern: route.does for route in family.routes}))
        if family is ROBOTS:
            parts.append(_table("Variants of robots.txt", "name", {name: does for name, (does, _) in VARIANTS.items()}))
    parts.append(_table("Controls", "path", CONTROLS))
    return "\n".join(parts)


def _table(title: str, first: str, rows: dict[str, str]) -> str:
    lines = [f"## {title}", "", f"| {first} | what it does |", "|---|---|"]
    lines += [f"| `{name}` | {does} |" for name, does in rows.items()]
    return "\n".join(lines) + "\n"
