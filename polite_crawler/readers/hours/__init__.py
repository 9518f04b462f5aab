"""Opening hours: a week from English text, from schema.org, and from the compact syntax of OpenStreetMap."""

from polite_crawler.readers.hours.compact import from_compact
from polite_crawler.readers.hours.compare import Change, compare_hours, describe_week
from polite_crawler.readers.hours.schema_org import from_schema_org
from polite_crawler.readers.hours.text import from_text, schedules
from polite_crawler.readers.hours.week import DAYS, Hours, Interval, Week

__all__ = [
    "DAYS",
    "Change",
    "Hours",
    "Interval",
    "Week",
    "compare_hours",
    "describe_week",
    "from_compact",
    "from_schema_org",
    "from_text",
    "schedules",
]
