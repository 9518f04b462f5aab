"""A process that writes captures until it is killed, and says on stdout which ones were confirmed.

Run as `python writer_victim.py FOLDER NUMBER`. Each confirmed capture is one line `id blob`, written by one `write`.
"""

import os
import random
import sys

from polite_crawler.store.folder import StoreFolder
from polite_crawler.store.record import Body, Capture, Decoded, ResponseHead, Time, utc
from polite_crawler.store.writer import BlobBytes, WriterThread


def main() -> None:
    folder, number = StoreFolder(sys.argv[1]).create(), sys.argv[2]
    writer = WriterThread(folder, min_free=0)
    rng = random.Random(int(number))
    os.write(1, b"ready\n")
    for n in range(1_000_000):
        text = f"writer {number} page {n} " + "word " * rng.choice((1, 20, 400, 9_000))
        data = f"<p>{text}".encode()
        sha = __import__("hashlib").sha256(data).hexdigest()
        capture = Capture(
            kind="fetch",
            url=f"http://w{number}.example/{n}",
            time=Time(utc(1_700_000_000 + n)),
            outcome="ok",
            status=200,
            note="n" * rng.choice((0, 2000, 100_000)) or None,
            response=ResponseHead("HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n"),
            body=Body(sha, len(data), decoded=Decoded(sha, len(data))),
        ).sealed()
        futures = [writer.submit(capture, blobs=[BlobBytes(data)])]
        for future in futures:
            future.result()
        os.write(1, f"{capture.id} {sha}\n".encode())


if __name__ == "__main__":
    main()
