"""robots.txt: `parse` a body, `decide` a URL (RFC 9309), and `access`, what the answers to /robots.txt mean."""

from polite_crawler.rules.access import Access, Answer, Ask, CachedFile, Standing, access, next_step, robots_url
from polite_crawler.rules.robotsfile import MAX_DELAY, MAX_OCTETS, Decision, Group, Record, RobotsFile, Rule, parse

__all__ = [
    "MAX_DELAY", "MAX_OCTETS", "Access", "Answer", "Ask", "CachedFile", "Decision", "Group", "Record", "RobotsFile",
    "Rule", "Standing", "access", "next_step", "parse", "robots_url",
]  # fmt: skip
