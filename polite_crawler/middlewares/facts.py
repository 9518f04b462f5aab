"""The facts of a request for its capture, from its meta and its trace."""

from scrapy import Request

from polite_crawler.rules.options import Options
from polite_crawler.rules.urls import without_fragment
from polite_crawler.transport.evidence import Facts
from polite_crawler.transport.meta import ARCHIVE_KINDS, KIND
from polite_crawler.transport.trace import Trace
from polite_crawler.version import __version__

SOFTWARE = f"polite-crawler/{__version__}"


def facts_of(request: Request, trace: Trace, options: Options) -> Facts:
    """What is known of a request. Its meta keys: polite_kind, polite_recipe, polite_job, polite_redirect_of,
    polite_scope, polite_labels."""
    meta = request.meta
    kind = meta.get(KIND, "fetch")
    # a request to an archive is none of the recipe and no hop of the site
    ours = kind not in ARCHIVE_KINDS
    referer = request.headers.get("Referer")
    return Facts(
        # a fragment is for the reader alone: it is no part of what was asked (RFC 9110 section 7.1)
        url=without_fragment(request.url),
        kind=kind,
        method=request.method,
        recipe=meta.get("polite_recipe", "page" if kind in ("fetch", "render") else None) if ours else None,
        job=meta.get("polite_job"),
        robots=trace.robots,
        validators=trace.validators,
        signed=trace.signed,
        redirect_of=meta.get("polite_redirect_of") if ours else None,
        referrer=referer.decode("latin-1") if referer else None,
        software=SOFTWARE,
        scope=meta.get("polite_scope", options.scope),
        labels=meta.get("polite_labels", options.labels),
        params=options.secret_params,
    )
