"""polite-crawler: fetch a source one time, keep the evidence, read it many times."""

__version__ = "0.1.0"
