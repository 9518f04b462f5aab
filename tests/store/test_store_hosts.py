"""The host state: one behaviour for memory and SQLite, and what only a file can get wrong."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hosts_lab import NOW, hosts_file
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from polite_crawler.rules.pacing import HostState
from polite_crawler.store.hosts import HostRow, HostStateStore, Memo, MemoryHosts, RobotsState
from polite_crawler.store.hosts_sqlite import SqliteHosts, open_hosts

path = pytest.fixture(hosts_file)


@pytest.fixture(params=["memory", "sqlite"])
def store(request: pytest.FixtureRequest, path: Path) -> Iterator[HostStateStore]:
    made = open_hosts(None if request.param == "memory" else path)
    yield made
    made.close()


def test_a_new_host_is_free(store: HostStateStore):
    assert store.peek("a") == HostRow("a")
    claim = store.claim("a", owner="me", now=NOW, lease=20)
    assert claim.granted
    assert (claim.row.owner, claim.row.until) == ("me", NOW + 20)
    assert store.peek("a").leased(NOW)


REFUSALS: list[tuple[str, Callable[[HostStateStore], Any], float]] = [
    # what stands in the way, and when it is gone
    ("a lease", lambda store: store.claim("a", owner="other", now=NOW, lease=20), 20),
    ("a lease of one's own", lambda store: store.claim("a", owner="me", now=NOW, lease=20), 20),
    ("a rest", lambda store: store.rest("a", until=NOW + 7), 7),
    ("a stop", lambda store: store.stop("a", until=NOW + 9, reason="status 403"), 9),
]


@pytest.mark.parametrize(("before", "gone"), [row[1:] for row in REFUSALS], ids=[row[0] for row in REFUSALS])
def test_a_claim_is_refused_until_the_way_is_free(
    store: HostStateStore, before: Callable[[HostStateStore], Any], gone: float
):
    before(store)
    claim = store.claim("a", owner="me", now=NOW + gone - 0.001)
    assert not claim.granted
    assert claim.row == store.peek("a")
    assert store.claim("b", owner="me", now=NOW).granted
    assert store.claim("a", owner="me", now=NOW + gone).granted


def test_a_release_keeps_the_state(store: HostStateStore):
    store.claim("a", owner="me", now=NOW)
    assert store.release("a", owner="me", state=HostState(NOW + 3, 0.0, "", 2, 4, 0.0, 1))
    assert store.peek("a") == HostRow("a", HostState(NOW + 3, 0.0, "", 2, 4, 0.0, 1))


def test_a_release_without_an_answer_keeps_all_as_it_was(store: HostStateStore):
    store.rest("a", until=NOW - 5)
    store.claim("a", owner="me", now=NOW)
    assert store.release("a", owner="me", state=None)
    assert store.peek("a") == HostRow("a", HostState(NOW - 5))
    assert not store.release("a", owner="me", state=None)


def test_what_came_while_the_lane_was_held_stays(store: HostStateStore):
    store.claim("a", owner="me", now=NOW)
    store.stop("a", until=NOW + 500, reason="challenge")
    store.rest("a", until=NOW + 50)
    store.put_robots("http://a", "a", RobotsState(crawl_delay=12.0))
    store.release("a", owner="me", state=HostState(NOW + 3, NOW + 100, "status 403", 0, 0, 0.0, 1))
    assert store.peek("a").state == HostState(NOW + 50, NOW + 500, "challenge", 0, 0, 12.0, 1)


def test_a_lost_lease_still_counts_what_the_host_said(store: HostStateStore):
    store.claim("a", owner="late", now=NOW, lease=20)
    store.claim("a", owner="other", now=NOW + 20, lease=20)
    assert store.renew(["a"], owner="late", until=NOW + 99) == {"a"}
    assert not store.release("a", owner="late", state=HostState(NOW + 300, NOW + 400, "status 402", 1, 1, 0.0, 1))
    row = store.peek("a")
    assert (row.owner, row.until) == ("other", NOW + 40)
    assert (row.state.ready, row.state.stop_until, row.state.stop_reason) == (NOW + 300, NOW + 400, "status 402")


def test_renew_moves_the_end_of_each_lease(store: HostStateStore):
    for host in "abc":
        store.claim(host, owner="me", now=NOW, lease=20)
    assert store.renew("ab", owner="me", until=NOW + 25) == frozenset()
    assert [store.peek(host).until for host in "abc"] == [NOW + 25, NOW + 25, NOW + 20]
    assert store.renew([], owner="me", until=NOW) == frozenset()
    assert store.renew(["never"], owner="me", until=NOW) == {"never"}


def test_stops_and_rests_only_grow(store: HostStateStore):
    store.stop("a", until=NOW + 10, reason="first")
    store.stop("a", until=NOW + 5, reason="second")
    store.rest("a", until=NOW + 10)
    store.rest("a", until=NOW + 5)
    state = store.peek("a").state
    assert (state.ready, state.stop_until, state.stop_reason) == (NOW + 10, NOW + 10, "first")


def test_reset_of_one_host_and_of_all(store: HostStateStore):
    for host in "ab":
        store.claim(host, owner="me", now=NOW)
        store.release(host, owner="me", state=HostState(NOW + 900, NOW + 900, "status 403", 3, 4, 0.0, 1))
    assert store.reset("a", ready=NOW + 3) == 1
    assert store.peek("a").state == HostState(NOW + 3, 0.0, "", 0, 0, 0.0, 1)
    assert store.peek("b").state.stop_reason == "status 403"
    assert store.reset("never", ready=NOW) == 0
    assert store.reset(None, ready=NOW + 3) == 2
    assert store.peek("b").state == HostState(NOW + 3, 0.0, "", 0, 0, 0.0, 1)


def test_reset_after_a_clock_that_was_ahead(store: HostStateStore):
    ahead = NOW + 86_400 * 365
    store.claim("a", owner="killed", now=ahead)
    store.put_robots("http://a", "a", RobotsState(next_try=ahead, failures=7, note="503"))
    store.put_robots("http://b", "b", RobotsState(next_try=ahead, failures=7, note="503"))
    store.claim("b", owner="alive", now=NOW)
    assert not store.claim("a", owner="me", now=NOW).granted
    store.reset("a", ready=NOW)
    assert store.claim("a", owner="me", now=NOW).granted
    assert [store.robots(f"http://{host}").next_try for host in "ab"] == [0.0, ahead]  # type: ignore[union-attr]
    store.reset(None, ready=NOW)
    assert store.robots("http://b") == RobotsState(next_try=0.0, failures=0, note="503")
    assert not store.claim("b", owner="me", now=NOW).granted  # a lease that can be is not taken away


def test_reset_does_not_make_a_rest_longer(store: HostStateStore):
    store.rest("a", until=NOW - 100)
    store.reset("a", ready=NOW + 3)
    assert store.peek("a").state.ready == NOW - 100


def test_rows_come_by_name(store: HostStateStore):
    for host in "cab":
        store.rest(host, until=NOW)
    assert [row.host for row in store.rows()] == ["a", "b", "c"]


def test_robots_state_comes_back_as_it_was(store: HostStateStore):
    assert store.robots("https://a") is None
    state = RobotsState("fetch.abc", 200, NOW, NOW + 86400, NOW + 60, 2, 3.5, "503")
    store.put_robots("https://a", "a", state)
    store.put_robots("http://a:8080", "a", RobotsState())
    assert store.robots("https://a") == state
    assert store.robots("http://a:8080") == RobotsState()


def test_the_crawl_delay_of_a_host_is_the_largest_of_its_origins(store: HostStateStore):
    store.put_robots("https://a", "a", RobotsState(crawl_delay=5.0))
    store.put_robots("http://a", "a", RobotsState(crawl_delay=9.0))
    store.put_robots("http://b", "b", RobotsState(crawl_delay=99.0))
    assert store.peek("a").state.crawl_delay == 9
    store.put_robots("http://a", "a", RobotsState(crawl_delay=2.0))
    assert store.peek("a").state.crawl_delay == 5
    store.put_robots("https://a", "a", RobotsState())
    assert store.peek("a").state.crawl_delay == 2


def test_the_memo_is_changed_in_one_step(store: HostStateStore):
    assert store.memo("a") is None
    assert store.change_memo("a", lambda memo: {"misses": 1, "was": memo}) == {"misses": 1, "was": None}
    assert store.change_memo("a", lambda memo: {**(memo or {}), "misses": 2}) == {"misses": 2, "was": None}
    assert store.memo("a") == {"misses": 2, "was": None}
    assert store.change_memo("a", lambda memo: None) is None
    assert store.memo("a") is None


def test_a_change_that_fails_changes_nothing(store: HostStateStore):
    store.change_memo("a", lambda memo: {"misses": 1})

    def fail(memo: Memo | None) -> Memo:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        store.change_memo("a", fail)
    assert store.memo("a") == {"misses": 1}
    assert store.claim("a", owner="me", now=NOW).granted


class SameInMemoryAndInAFile(RuleBasedStateMachine):
    """Any sequence of calls gives the same answers from both."""

    hosts = st.sampled_from("ab")
    owners = st.sampled_from(["me", "you"])
    times = st.integers(0, 40).map(lambda seconds: NOW + seconds)

    def __init__(self) -> None:
        super().__init__()
        import tempfile

        self.folder = tempfile.TemporaryDirectory()
        self.memory, self.file = MemoryHosts(), SqliteHosts(Path(self.folder.name) / "hosts.sqlite")

    def both(self, call: Callable[[HostStateStore], Any]) -> None:
        assert call(self.memory) == call(self.file)

    @rule(host=hosts, owner=owners, now=times)
    def claim(self, host: str, owner: str, now: float) -> None:
        self.both(lambda store: store.claim(host, owner=owner, now=now))

    @rule(host=hosts, owner=owners, until=times)
    def renew(self, host: str, owner: str, until: float) -> None:
        self.both(lambda store: store.renew([host], owner=owner, until=until))

    @rule(host=hosts, owner=owners, ready=times, stop=times, failures=st.integers(0, 5))
    def release(self, host: str, owner: str, ready: float, stop: float, failures: int) -> None:
        if self.memory.peek(host) != HostRow(host):
            state = HostState(ready, stop, "by release", failures, failures)
            self.both(lambda store: store.release(host, owner=owner, state=state))

    @rule(host=hosts, until=times)
    def stop(self, host: str, until: float) -> None:
        self.both(lambda store: store.stop(host, until=until, reason=f"until {until}"))

    @rule(host=hosts, until=times)
    def rest(self, host: str, until: float) -> None:
        self.both(lambda store: store.rest(host, until=until))

    @rule(host=st.sampled_from(["a", "b", None]), ready=times)
    def reset(self, host: str | None, ready: float) -> None:
        self.both(lambda store: store.reset(host, ready=ready))

    @rule(host=hosts, scheme=st.sampled_from(["http", "https"]), delay=st.integers(0, 9).map(float))
    def learn(self, host: str, scheme: str, delay: float) -> None:
        state = RobotsState(crawl_delay=delay)
        self.both(lambda store: store.put_robots(f"{scheme}://{host}", host, state))

    @invariant()
    def same(self) -> None:
        self.both(lambda store: [store.peek(host) for host in "ab"])
        self.both(lambda store: list(store.rows()))

    def teardown(self) -> None:
        self.file.close()
        self.folder.cleanup()


TestSameInMemoryAndInAFile = SameInMemoryAndInAFile.TestCase


TestSameInMemoryAndInAFile.settings = settings(max_examples=25, stateful_step_count=25, deadline=None)
