"""A search for an archived copy as plain values, so that it can wait in a file and go on after a crash."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from polite_crawler.archive.commoncrawl import IndexLine
from polite_crawler.archive.fallback import Ask
from polite_crawler.archive.mementos import ArchiveRequest, NoCopy
from polite_crawler.store.record import Capture


@dataclass(frozen=True, slots=True)
class Search:
    """A search that goes on: `live` is the capture of what the site itself answered, `ask` the request that waits."""

    live: Capture
    ask: Ask

    def to_json(self) -> dict[str, Any]:
        """The search as an object of texts, numbers, lists and objects."""
        return {"live": self.live.to_json(), "ask": asdict(self.ask)}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> "Search":
        """The search of such an object."""
        return cls(Capture.from_json(value["live"]), _ask(value["ask"]))


def _ask(value: Mapping[str, Any]) -> Ask:
    request, line = value["request"], value["line"]
    fields = tuple((name, text) for name, text in request["headers"])
    return Ask(
        request=ArchiveRequest(request["url"], fields, request["kind"]),
        stage=value["stage"],
        url=value["url"],
        hops=value["hops"],
        looked_up=value["looked_up"],
        indexes=tuple(value["indexes"]),
        line=None if line is None else IndexLine(**line),
        refused=tuple(NoCopy(**one) for one in value["refused"]),
    )


__all__ = ["Search"]
