"""Conditional requests against a real nginx: the second server that the memo of validators is tested with."""

import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from engine_lab import crawl
from test_engine_endings import host_limits

from polite_crawler.spiders.page import PageSpider
from polite_crawler.store.record import Capture

NGINX = shutil.which("nginx", path="/usr/sbin:/usr/bin:/usr/local/sbin")
pytestmark = pytest.mark.skipif(NGINX is None, reason="nginx is not installed (apt-get install nginx-light)")

CONFIG = """
daemon off; master_process off; pid {root}/pid; error_log {root}/error.log;
events {{ worker_connections 64; }}
http {{
  access_log {root}/access.log; default_type text/html;
  client_body_temp_path {root}/t1; proxy_temp_path {root}/t2; fastcgi_temp_path {root}/t3;
  uwsgi_temp_path {root}/t4; scgi_temp_path {root}/t5;
  log_format conditions '$uri "$http_if_none_match" "$http_if_modified_since" $status';
  server {{
    listen 127.0.0.1:{port}; root {root}/www; access_log {root}/conditions.log conditions;
    location /plain/ {{ }}
    location /moving/ {{ etag off; add_header ETag "\\"$request_id\\""; }}
  }}
}}
"""


class Nginx:
    """A running nginx and what it logged: path, conditions, status."""

    def __init__(self, root: Path, port: int) -> None:
        self.root = root
        self.base = f"http://127.0.0.1:{port}"

    def asked(self) -> list[tuple[str, bool, bool, str]]:
        lines = (self.root / "conditions.log").read_text().splitlines()
        rows = [line.replace('" "', '"|"').split('"') for line in lines if "/robots.txt" not in line]
        return [(row[0].strip(), row[1] != "-", row[3] != "-", row[4].strip()) for row in rows]


@pytest.fixture
def nginx(tmp_path: Path) -> Iterator[Nginx]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    for folder in ("plain", "moving"):
        (tmp_path / "www" / folder).mkdir(parents=True)
        (tmp_path / "www" / folder / "page.html").write_text("<title>T</title><p>the same text each time</p>")
    (tmp_path / "nginx.conf").write_text(CONFIG.format(root=tmp_path, port=port))
    (tmp_path / "www").chmod(0o755)
    for folder in [tmp_path, *tmp_path.parents][:4]:
        if "pytest" in folder.name or folder == tmp_path:
            folder.chmod(0o755)
    assert NGINX is not None
    process = subprocess.Popen([NGINX, "-c", str(tmp_path / "nginx.conf"), "-p", str(tmp_path)], stderr=subprocess.PIPE)
    try:
        for _ in range(10_000):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            if process.poll() is not None:
                raise AssertionError(process.stderr.read() if process.stderr else "nginx did not start")
        yield Nginx(tmp_path, port)
    finally:
        process.terminate()
        process.communicate()


def outcomes(captures: list[Capture]) -> list[str]:
    return [capture.outcome for capture in captures]


def fetch(url: str, store: Path, times: int) -> list[Capture]:
    for _ in range(times):
        run = crawl(PageSpider, store, url=url, max_age="0", settings=host_limits())
    return run.captures("fetch")


def test_both_validators_get_a_304(nginx: Nginx, store_dir: Path) -> None:
    captures = fetch(f"{nginx.base}/plain/page.html", store_dir, 3)
    assert outcomes(captures) == ["ok", "not_modified", "not_modified"]
    assert [row[1:] for row in nginx.asked()] == [(False, False, "200"), (True, True, "304"), (True, True, "304")]


def test_an_etag_that_moves_is_left_out_after_three_answers(nginx: Nginx, store_dir: Path) -> None:
    captures = fetch(f"{nginx.base}/moving/page.html", store_dir, 6)
    assert outcomes(captures) == ["ok", "ok", "ok", "ok", "not_modified", "not_modified"]
    conditions = [row[1:] for row in nginx.asked()]
    assert conditions == [(False, False, "200"), *[(True, True, "200")] * 3, *[(False, True, "304")] * 2]
