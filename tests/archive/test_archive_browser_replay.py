"""ReplayWeb.page in a headless Chromium: it shows the pages of an export, and reports its signature as matched."""

import shutil
import subprocess
import tarfile
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from evidence_lab import EvidenceLab, edge_captures, other_captures

from polite_crawler.archive.cdx import timestamp
from polite_crawler.archive.export import export

pytestmark = [pytest.mark.slow, pytest.mark.browser, pytest.mark.timeout(600)]

PLAYER = "replaywebpage@2.5.3"
CHROMIUM = shutil.which("chromium")
SHOWN = {
    "plain": "MARK-plain", "gzip": "MARK-gzip", "br": "MARK-br", "zstd": "MARK-zstd", "chunked": "MARK-chunked",
    "tls": "MARK-tls", "cutgzip": "MARK-cut", "international": "MARK-uni", "octets": "MARK-octets",
    "lf": "MARK-lf",
}  # fmt: skip
HOST = """<!doctype html><script src="/ui.js"></script>
<replay-web-page source="/x.wacz" url="{url}" ts="{ts}" replayBase="/replay/" embed="replayonly"></replay-web-page>"""
# the frame can load before its worker is active: it looks again
EARLY = "<!doctype html><script>setTimeout(() => location.reload(), 300)</script>"


# what the player keeps of its checks
VERDICTS = """async () => {
    for (const {name} of await indexedDB.databases()) {
        const opened = await new Promise(done => {
            const request = indexedDB.open(name);
            request.onsuccess = () => done(request.result);
        });
        if (!opened.objectStoreNames.contains("verification")) continue;
        return await new Promise(done => {
            const all = opened.transaction("verification").objectStore("verification").getAll();
            all.onsuccess = () => done(all.result);
        });
    }
    return [];
}"""


class Files(BaseHTTPRequestHandler):
    """The player, the package with ranges, and a page that embeds one page of it."""

    player: Path
    package: Path
    page = ""

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        if path == "/x.wacz":
            self._range(self.package.read_bytes())
        elif path == "/ui.js":
            self._send((self.player / "ui.js").read_bytes(), "text/javascript")
        elif path == "/replay/sw.js":
            self._send((self.player / "sw.js").read_bytes(), "text/javascript")
        elif path.startswith("/replay/"):
            self._send(EARLY.encode(), "text/html")
        else:
            self._send(type(self).page.encode(), "text/html")

    do_HEAD = do_GET

    def _range(self, octets: bytes) -> None:
        asked = self.headers.get("Range", "").removeprefix("bytes=")
        if not asked:
            self._send(octets, "application/zip")
            return
        first, _, last = asked.partition("-")
        start = int(first) if first else max(0, len(octets) - int(last))
        end = min(int(last) + 1, len(octets)) if first and last else len(octets)
        self._send(octets[start:end], "application/zip", f"bytes {start}-{end - 1}/{len(octets)}")

    def _send(self, octets: bytes, kind: str, part: str | None = None) -> None:
        self.send_response(206 if part else 200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(octets)))
        self.send_header("Accept-Ranges", "bytes")
        self.send_header("Service-Worker-Allowed", "/")
        if part:
            self.send_header("Content-Range", part)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(octets)

    def log_message(self, format: str, *args: Any) -> None:
        """Quiet."""


@pytest.fixture(scope="module")
def player(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("player")
    if CHROMIUM is None or shutil.which("npm") is None:
        pytest.skip("Debian's chromium and npm are needed")
    done = subprocess.run(["npm", "pack", "--silent", PLAYER], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"cannot get {PLAYER}: {done.stderr.strip()[-200:]}")
    with tarfile.open(next(folder.glob("*.tgz"))) as packed:
        packed.extractall(folder, filter="data")
    return folder / "package"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, player: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    folder = tmp_path_factory.mktemp("package")
    key = ec.generate_private_key(ec.SECP384R1())
    (folder / "key.pem").write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    lab = EvidenceLab(folder / "store")
    edges = edge_captures(lab)
    other_captures(lab, edges)
    with lab.store() as store:
        export(store.index, folder / "x.wacz", wacz_key=folder / "key.pem")
    Files.player, Files.package = player, folder / "x.wacz"
    with ThreadingHTTPServer(("127.0.0.1", 0), Files) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}", dict(edges)
        server.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def browser(site: Any) -> Iterator[Any]:
    api = pytest.importorskip("playwright.sync_api", reason="playwright comes with the extra render")
    with api.sync_playwright() as running:
        opened = running.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield opened
        opened.close()


def text_of(page: Any, wanted: str) -> str:
    """The text of the frames, as soon as one shows what is wanted."""
    shown = ""
    for _ in range(150):
        shown = ""
        for frame in page.frames:
            try:
                shown += frame.evaluate("document.body ? document.body.innerText : ''")
            except Exception as error:  # a frame that is being replaced
                shown += f"[{type(error).__name__}]"
        if wanted in shown:
            return shown
        page.wait_for_timeout(200)
    return shown


@pytest.mark.parametrize("name", SHOWN)
def test_pages_are_shown(site: tuple[str, dict[str, Any]], browser: Any, name: str) -> None:
    base, captures = site
    capture = captures[name]
    Files.page = HOST.format(url=capture.url.replace("&", "&amp;"), ts=timestamp(capture.time.start))
    page = browser.new_page()
    try:
        page.goto(base + "/")
        assert SHOWN[name] in text_of(page, SHOWN[name])
    finally:
        page.close()


def test_the_signature_is_reported_as_matched(site: tuple[str, dict[str, Any]], browser: Any) -> None:
    base, captures = site
    capture = captures["plain"]
    Files.page = HOST.format(url=capture.url, ts=timestamp(capture.time.start))
    page = browser.new_page()
    try:
        page.goto(base + "/")
        text_of(page, "MARK-plain")
        verdicts = page.evaluate(VERDICTS)
    finally:
        page.close()
    assert {one["id"]: one["matched"] for one in verdicts}["signature"] is True, verdicts
