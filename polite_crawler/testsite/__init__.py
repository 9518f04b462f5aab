"""A loopback site with every trap of the web, and a log of what it was asked. It imports nothing of ours.

`Site` runs it in a thread, `SiteProcess` in a process of its own, `pc-testsite` from a shell. The table of what it
serves is `polite_crawler.testsite.routes.ROUTES`.
"""

from polite_crawler.testsite.journal import Seen
from polite_crawler.testsite.process import SiteProcess
from polite_crawler.testsite.site import Site

__all__ = ["Seen", "Site", "SiteProcess"]
