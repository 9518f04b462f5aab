"""`pc-store`: look into the store."""

import argparse
import json
import re
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from polite_crawler.cli import proof
from polite_crawler.cli.exits import Exit
from polite_crawler.cli.options import add_action, store_dir
from polite_crawler.cli.output import Output, many_lines, one_line, plain
from polite_crawler.errors import BadOption, NotStored
from polite_crawler.query.store import open_store
from polite_crawler.rules.controls import json_for_terminal
from polite_crawler.rules.urls import host_key
from polite_crawler.store.folder import StoreFolder
from polite_crawler.store.hosts import HostRow
from polite_crawler.store.hosts_sqlite import open_hosts
from polite_crawler.store.projection import read_body
from polite_crawler.store.record import utc

_BLOB = re.compile(r"[0-9a-f]{64}", re.ASCII).fullmatch
_SHOWN = ("documents", "held_back", "versions", "captures", "blobs", "hosts", "log_bytes", "blob_bytes", "index_bytes")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """One of stats, hosts, reset, doctor, cat, seal and erase."""
    kinds = parser.add_subparsers(dest="what", metavar="WHAT", required=True)

    add = partial(add_action, kinds)
    add("stats", "count documents, versions, captures and octets")
    add("hosts", "list the hosts with their rests and stops")
    reset = add("reset", "forget the stops, failures and backoff of hosts")
    reset.add_argument("host", nargs="*", metavar="HOST", help="a host name or a URL")
    reset.add_argument("--all", action="store_true", help="every host")
    doctor = add("doctor", "check the index, the log and the bodies against each other")
    doctor.add_argument("--repair", action="store_true", help="build the index again when something is wrong with it")
    cat = add("cat", "print a capture, or a body")
    cat.add_argument("id", metavar="ID", help="a capture id (fetch....) or the SHA-256 of a body")
    proof.add_signing(add("seal", "sign a checkpoint of the log"))
    proof.add_erase(add("erase", "remove the bodies of a page, and say so in the log"))
    form = cat.add_mutually_exclusive_group()
    form.add_argument(
        "--heads", action="store_true", help="the heads of request and response as they went over the wire"
    )
    form.add_argument("--body", action="store_true", help="the body, decoded")
    form.add_argument("--raw", action="store_true", help="the body as received")


def run(args: argparse.Namespace, output: Output) -> int:
    """Do what the first argument names."""
    if args.what == "reset" and bool(args.host) == args.all:
        raise BadOption("name one or more hosts, or --all")
    return _KINDS[args.what](args, output)


def _stats(args: argparse.Namespace, output: Output) -> int:
    with open_store(store_dir(args)) as store:
        counts: dict[str, Any] = store.index.reading(lambda catalog: catalog.counts())
        folder = store.folder
    bodies = [path.stat().st_size for path in folder.blobs.rglob("*.gz")]
    stats = {
        "dir": str(folder.path),
        **counts,
        "blobs": len(bodies),
        "hosts": len(_rows(folder)),
        "log_bytes": _octets(folder.log),
        "blob_bytes": sum(bodies),
        "index_bytes": _octets(folder.index),
    }
    if output.json:
        output.fact(stats)
        return Exit.DONE
    output.line(output.bold(stats["dir"]))
    for name in _SHOWN:
        output.line(f"  {name.replace('_', ' '):<12} {stats[name]:>14,}")
    return Exit.DONE


def _octets(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _rows(folder: StoreFolder) -> list[HostRow]:
    if not folder.hosts.exists():
        return []
    hosts = open_hosts(folder.hosts, read_only=True)
    try:
        return list(hosts.rows())
    finally:
        hosts.close()


def _hosts(args: argparse.Namespace, output: Output) -> int:
    now = time.time()
    facts = [_host(row, now) for row in _rows(StoreFolder(store_dir(args)).check())]
    if output.json:
        output.fact({"hosts": facts})
        return Exit.DONE
    names = ("host", "requests", "ready_at", "stopped_until", "reason", "failures", "crawl_delay_s")
    output.table([name.replace("_", " ") for name in names], ([fact[name] for name in names] for fact in facts))
    return Exit.DONE


def _host(row: HostRow, now: float) -> dict[str, Any]:
    state = row.state
    stopped = state.stopped(now)
    return {
        "host": row.host,
        "requests": state.asked,
        "ready_at": utc(state.ready) if state.ready > now else None,
        "stopped_until": utc(state.stop_until) if stopped else None,
        "reason": state.stop_reason if stopped else None,
        "failures": state.failures,
        "crawl_delay_s": state.crawl_delay or None,
        "in_use": row.leased(now),
    }


def _reset(args: argparse.Namespace, output: Output) -> int:
    names = [host_key(name if "//" in name else f"http://{name}/") for name in args.host]
    folder = StoreFolder(store_dir(args)).check()
    done = dict.fromkeys(names, 0)
    if folder.hosts.exists():
        hosts = open_hosts(folder.hosts)
        try:
            if args.all:
                done = {"*": hosts.reset(None, ready=time.time())}
            else:
                done = {name: hosts.reset(name, ready=time.time()) for name in names}
        finally:
            hosts.close()
    unknown = [name for name, count in done.items() if not count and name != "*"]
    count = sum(done.values())
    if output.json:
        output.fact({"reset": count, "unknown": unknown})
    else:
        output.line(f"{count} host{'' if count == 1 else 's'} may be asked again")
        for name in unknown:
            output.note(f"{name}: never asked")
    return Exit.FAILED if unknown else Exit.DONE


def _doctor(args: argparse.Namespace, output: Output) -> int:
    from polite_crawler.store.doctor import examine

    with open_store(store_dir(args)) as store:
        found = examine(store.index)
        if args.repair and not found.ok:
            for fault in found.faults:
                output.note(one_line(fault))
            store.reindex()
            found = examine(store.index)
    if output.json:
        output.fact({"ok": found.ok, **plain(found)})
    else:
        for fault in found.faults:
            output.line(one_line(fault))
        looked_at = f"{found.texts} texts, {found.bodies} bodies and {found.lines} lines of the log"
        output.line(f"{'nothing is wrong with' if found.ok else 'that was found in'} {looked_at}")
    return Exit.DONE if found.ok else Exit.FAILED


def _cat(args: argparse.Namespace, output: Output) -> int:
    with open_store(store_dir(args)) as store:
        if _BLOB(args.id):
            _show(store.index.blobs.get(args.id), output)
            return Exit.DONE
        capture = store.capture(args.id)
        if args.heads:
            heads = [part.head for part in (capture.request, capture.response) if part is not None]
            _show("".join(heads).encode("latin-1"), output)
        elif args.body or args.raw:
            if capture.body is None:
                raise NotStored(f"the capture {args.id} has no body ({capture.outcome})")
            received = store.index.blobs.get(capture.body.sha256)
            _show(received if args.raw else read_body(capture, received), output)
        elif output.json or not output.terminal:
            output.octets(json_for_terminal(capture.line().decode()).encode() if output.terminal else capture.line())
        else:
            output.text(many_lines(json.dumps(capture.to_json(), indent=2, ensure_ascii=False)) + "\n")
    return Exit.DONE


def _show(octets: bytes, output: Output) -> None:
    """The octets of a server as they are; on a terminal, without what acts on it."""
    if output.terminal:
        octets = many_lines(octets.decode("utf-8", "replace").replace("\r\n", "\n")).encode()
    output.octets(octets)


_KINDS: dict[str, Callable[[argparse.Namespace, Output], int]] = {
    "stats": _stats,
    "hosts": _hosts,
    "reset": _reset,
    "doctor": _doctor,
    "cat": _cat,
    "seal": proof.seal,
    "erase": proof.erase,
}
