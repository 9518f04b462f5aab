"""The routes for the test itself. They are never logged, and they answer on every host."""

import json
from urllib.parse import parse_qsl

from polite_crawler.testsite.exchange import Ask, respond
from polite_crawler.testsite.gate import Gate
from polite_crawler.testsite.state import BadReset

CONTROLS = {
    "/__log": "JSON list of the requests seen; ?host=ADDRESS and ?path=PREFIX select",
    "/__reset": "forget log, counters and options; then set ?latency=SECONDS, ?robots=VARIANT, ?robots_text=TEXT, "
    "of one ?host=ADDRESS or of all, ?log=0 for no log, ?signature_keys=JWKS to let in signed requests alone",
    "/__set": "the same options, and nothing is forgotten",
    "/__release": "let the answers that wait at /hold/NAME go on: ?name=NAME",
}


def control(ask: Ask) -> bytes:
    """The answer to a request whose path begins with two underscores."""
    if ask.path == "/__log":
        seen = ask.state.journal.seen(host=ask.param("host") or None, path=ask.param("path") or None)
        return _json(ask, [entry.to_json() for entry in seen])
    if ask.path in ("/__reset", "/__set"):
        if ask.path == "/__reset":
            ask.state.reset()
        try:
            _set(ask)
        except ValueError as error:
            return _json(ask, {"ok": False, "error": str(error)}, status=400)
        return _json(ask, {"ok": True})
    if ask.path == "/__release":
        ask.state.release(ask.param("name"))
        return _json(ask, {"ok": True})
    return _json(ask, {"ok": False, "error": f"no control {ask.path}", "controls": CONTROLS}, status=404)


def _set(ask: Ask) -> None:
    given = dict(parse_qsl(ask.query, keep_blank_values=True))
    host = given.pop("host", None)
    latency = given.pop("latency", None)
    robots, text = given.pop("robots", None), given.pop("robots_text", None)
    if "log" in given:
        ask.state.journal.on = given.pop("log") != "0"
    keys = given.pop("signature_keys", None)
    if given:
        raise BadReset(f"no option {next(iter(given))!r}")
    seconds = None if latency is None else float(latency)
    ask.state.set(host=host, latency=seconds, robots=robots, robots_text=text)
    if keys is not None:
        ask.state.gate = Gate(keys) if keys else None


def _json(ask: Ask, value: object, *, status: int = 200) -> bytes:
    return respond(ask, json.dumps(value, separators=(",", ":")), status=status, type="application/json")
