"""What an index says of its documents, for tests; and the pages that they are about."""

from polite_crawler.store.index import Index

A, B, OLD = "http://example.com/a", "http://example.com/b", "http://example.com/old"


def docs(index: Index) -> list[str]:
    return [row[0] for row in index.connection().execute("SELECT key FROM doc WHERE cur IS NOT NULL ORDER BY key")]


def state(index: Index) -> dict[str, list[tuple[object, ...]]]:
    """All that an index says, without its own numbers."""
    ask = index.connection().execute
    return {
        "versions": ask(
            "SELECT d.key, v.capture, v.fetched, v.title, t.body, v.held, v.id = d.cur, e.live, e.len FROM ver v"
            " JOIN doc d ON d.id = v.doc JOIN txt t ON t.id = v.txt LEFT JOIN ent e ON e.id = v.ent ORDER BY 1, 2"
        ).fetchall(),
        "spans": ask(
            "SELECT d.key, s.since, v.capture FROM span s JOIN doc d ON d.id = s.doc JOIN ver v ON v.id = s.ver"
            " ORDER BY 1, 2"
        ).fetchall(),
        "captures": ask("SELECT id, kind, url, fetched, outcome, parent, of, secret FROM cap ORDER BY 1").fetchall(),
        "docs": ask("SELECT key, held, checked FROM doc ORDER BY 1").fetchall(),
    }
