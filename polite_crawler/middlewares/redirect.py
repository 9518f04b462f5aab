"""Order 600: a redirect is one more queued request, with a capture of its own for each hop."""

from scrapy import Request, Spider
from scrapy.downloadermiddlewares.redirect import RedirectMiddleware
from scrapy.http import Response

from polite_crawler.middlewares.offsite import Offsite
from polite_crawler.readers.links import MAX_REFRESH_S, parse_refresh
from polite_crawler.rules import redaction, urls
from polite_crawler.scheduling.options import options_of
from polite_crawler.scheduling.scheduler import scheduler_of
from polite_crawler.transport.meta import ARCHIVE_KINDS, KIND
from polite_crawler.transport.plain import RENDERS
from polite_crawler.transport.trace import trace_of

REFRESH = "polite_refresh"
"""The meta key of a request whose page may be left by its meta refresh (at most 5 seconds) as by a redirect."""

_STATUS = frozenset({301, 302, 303, 307, 308})


class Redirect(RedirectMiddleware):
    """Follows up to REDIRECT_MAX_TIMES hops (10). A hop that is out of scope, already seen, in a loop or over the
    limit is not followed: the redirect itself goes to the callback, with a note that says why."""

    def process_response(
        self, request: Request, response: Response, spider: Spider | None = None
    ) -> Request | Response:
        """The request of the next hop, or the response."""
        # where an archive leads to is read by who asks it
        if request.meta.get(KIND) in ARCHIVE_KINDS or trace_of(request).live or self._is_wanted(request, response):
            return response
        location = response.headers.get("Location")
        if response.status in _STATUS and location:
            target = urls.absolute(request.url, location.decode("utf-8", "replace"))
            return self.follow(request, response, target, "redirect")
        if request.meta.get(REFRESH) and (target := _refresh(request, response)) is not None:
            return self.follow(request, response, target, "meta refresh")
        return response

    def follow(self, request: Request, response: Response, target: str | None, what: str) -> Request | Response:
        """The request of the hop that a response leads to, or the response, with a note that says why there is none.
        `what` leads there: a redirect, a meta refresh, a script."""
        notes = trace_of(request).notes
        note = self._refusal(request, response, target, what)
        if target is None or note:
            notes.append(note or "")
            return response
        hop = self._hop(request, response, urls.without_fragment(target), what)
        scheduler = scheduler_of(self.crawler)
        # another spelling of a page of this chain is not a page that was asked already; and who waits for the answer
        # in a coroutine asks the engine past its filter
        if not trace_of(request).queued or _same_page(target, _chain(request)):
            return scheduler.again(hop)
        if not scheduler.admit(hop):
            notes.append(f"the {what} leads to {self._shown(target)}, which this crawl has asked already")
            return response
        return hop

    def _is_wanted(self, request: Request, response: Response) -> bool:
        """Whether the spider asked for the redirect itself, in one of Scrapy's ways."""
        statuses = getattr(self.crawler.spider, "handle_httpstatus_list", None) or ()
        return bool(
            request.meta.get("dont_redirect")
            or request.meta.get("handle_httpstatus_all")
            or response.status in statuses
            or response.status in request.meta.get("handle_httpstatus_list", ())
        )

    def _hop(self, request: Request, response: Response, target: str, what: str) -> Request:
        status = response.status
        to_get = (status == 303 and request.method != "HEAD") or (status in (301, 302) and request.method == "POST")
        if to_get and request.method != "GET":
            hop = self._redirect_request_using_get(request, response, target)
        else:
            hop = self._build_redirect_request(request, response, url=target)
        if hop.meta.pop(RENDERS, None) is not None:
            hop.meta[KIND] = "fetch"
        capture = trace_of(request).capture
        hop.meta.update(
            redirect_times=request.meta.get("redirect_times", 0) + 1,
            redirect_urls=_chain(request),
            redirect_reasons=[*request.meta.get("redirect_reasons", []), status if what == "redirect" else what],
            polite_redirect_of=capture.id if capture else None,
        )
        return hop

    def _refusal(self, request: Request, response: Response, target: str | None, what: str) -> str | None:
        """Why a hop is not followed, or None."""
        if target is None:
            return f"the {what} has no http or https target"
        # the head of a stored page, whose secrets were not kept
        if redaction.is_record(target, options_of(self.crawler).secret_params):
            return f"the {what} leads to {target}, whose secret was not kept"
        chain = _chain(request)
        if len(chain) > self.max_redirect_times:
            return f"more than {self.max_redirect_times} redirects"
        # a stored copy of the asked URL has the hops of its time behind it
        if urls.without_fragment(target) in map(urls.without_fragment, (*chain, response.url)):
            return f"a {what} loop: {self._shown(target)} was asked before"
        if self._is_offsite(request, target):
            return f"the {what} leads out of scope: {self._shown(target)}"
        return None

    def _is_offsite(self, request: Request, target: str) -> bool:
        scope, spider = self.crawler.get_downloader_middleware(Offsite), self.crawler.spider
        if scope is None or spider is None or request.dont_filter or request.meta.get("allow_offsite"):
            return False
        return not scope.should_follow(request.replace(url=target), spider)

    def _shown(self, url: str) -> str:
        return redaction.redact_url(url, options_of(self.crawler).secret_params).url


def _chain(request: Request) -> list[str]:
    return [*request.meta.get("redirect_urls", []), request.url]


def _refresh(request: Request, response: Response) -> str | None:
    """The target of a quick refresh, from the header or the page (HTML Standard, shared declarative refresh steps)."""
    page = trace_of(request).page
    if page is None or not 200 <= response.status < 300:
        return None
    header = response.headers.get("Refresh")
    found = parse_refresh(header.decode("latin-1")) if header else None
    if found is not None and found[0] <= MAX_REFRESH_S:
        target = urls.absolute(response.url, found[1])
        if target is not None and not _same_page(target, [response.url]):
            return target
    return page.refresh


def _same_page(target: str, chain: list[str]) -> bool:
    return urls.normal_or_none(target) in map(urls.normal_or_none, chain)
