"""`make crawl`: crawl a site into ./store, and say what to try next. Without a URL it crawls the bundled test site."""

import os
import shlex
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from polite_crawler.cli.exits import Exit
from polite_crawler.errors import PoliteError
from polite_crawler.query.store import open_store
from polite_crawler.testsite import Site

STORE = "store"
PORT = 8471
"""Where the bundled site is served when nobody else is there, so that its pages keep their names in the store."""
_BUNDLED = ("-s", "POLITE_ALLOW_PRIVATE=1", "-s", "POLITE_PAGE_INTERVAL=0.1")
"""The bundled site is ours and on this machine: it needs no long rest."""


def main(argv: Sequence[str] | None = None) -> int:
    """Crawl the URL of the first argument, or the bundled site; the exit code is that of the crawl."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if len(arguments) > 1:
        sys.stderr.write("quickstart: at most one URL (make crawl URL=https://example.com/)\n")
        return Exit.USAGE
    if arguments:
        return _crawl(arguments[0], ())
    with _bundled_site() as site:
        print(f"No URL was given, so this crawls the bundled test site at {site.url()}.\n", flush=True)
        return _crawl(site.url(), _BUNDLED)


@contextmanager
def _bundled_site() -> Iterator[Site]:
    with ExitStack() as stack:
        try:
            site = stack.enter_context(Site(hosts=1, port=PORT))
        except OSError:
            site = stack.enter_context(Site(hosts=1))
        yield site


def _crawl(url: str, options: Sequence[str]) -> int:
    settings = ("-s", f"POLITE_STORE={STORE}", "-s", "POLITE_OUTPUT=text")
    command = [sys.executable, "-m", "scrapy", "crawl", "site", "-a", f"url={url}", *settings, *options]
    environment = {"SCRAPY_SETTINGS_MODULE": "polite_crawler.settings", **os.environ}
    with subprocess.Popen(command, env=environment) as crawl:
        try:
            code = crawl.wait()
        except KeyboardInterrupt:
            # the crawl got the same signal: it stops cleanly and prints its summary
            crawl.wait()
            code = Exit.INTERRUPTED
    example = _example(url)
    if example is None:
        print(f"\n{url} is not in ./{STORE}.")
        return code or Exit.FAILED
    _next_steps(*example)
    return code


def _next_steps(doc: str, quote: str) -> None:
    word = max(quote.split(), key=len)
    programs = Path(sys.executable).parent
    if programs.is_relative_to(Path.cwd()):
        programs = programs.relative_to(Path.cwd())
    print(f"\nWhat was fetched is in ./{STORE}. Try next (no request is sent):")
    for command in (("pc-find", word), ("pc-read", doc, "--length", "400"), ("pc-verify", doc, quote)):
        name, *rest = command
        print(f"  {programs}/{shlex.join([name, '--dir', STORE, *rest])}")


def _example(url: str) -> tuple[str, str] | None:
    """The document of a URL and some words that it holds."""
    try:
        with open_store(STORE) as store:
            page = store.read(url)
    except PoliteError:
        return None
    longest = max(page.text.splitlines(), key=len, default="")
    return page.doc, " ".join(longest.split()[:7]) or "a quote"


if __name__ == "__main__":
    sys.exit(main())
