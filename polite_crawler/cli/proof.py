"""`pc-store seal`, `pc-store erase`, and the bundles of `pc-verify`."""

import argparse

from polite_crawler.archive.note import SigningKey, origin_of
from polite_crawler.cli.exits import Exit
from polite_crawler.cli.options import filled, store_dir
from polite_crawler.cli.output import Output, one_line
from polite_crawler.query.store import open_store
from polite_crawler.store.folder import StoreFolder


def add_signing(parser: argparse.ArgumentParser) -> None:
    """The options that choose who signs."""
    parser.add_argument("--sign-key", metavar="FILE", help="an Ed25519 key (PEM); by default one of the store's own")
    parser.add_argument("--origin", metavar="NAME", help="the name of this log (default: the host of the bot page)")


def signing_key_of(args: argparse.Namespace, folder: StoreFolder) -> SigningKey:
    """The key that the options name. Raises BadOption."""
    from polite_crawler.archive.sealing import signing_key

    return signing_key(folder, sign_key=args.sign_key, origin=args.origin)


def add_erase(parser: argparse.ArgumentParser) -> None:
    """What to erase, and why."""
    parser.add_argument(
        "name", metavar="NAME", help="a document (url:... or a URL), a capture, or the SHA-256 of a body"
    )
    parser.add_argument("--reason", required=True, type=filled, metavar="TEXT", help="why; it stands in the log")


def seal(args: argparse.Namespace, output: Output) -> int:
    """Sign a checkpoint of the log."""
    from polite_crawler.archive import sealing

    if args.origin is not None:
        origin_of(args.origin)
    folder = StoreFolder(store_dir(args)).check()
    done = sealing.seal(folder, signing_key_of(args, folder))
    if output.json:
        output.fact(done)
        return Exit.DONE
    output.line(f"{done.size} lines sealed as {one_line(done.origin)}" + ("" if done.new else " (before; none is new)"))
    output.line(f"  {one_line(done.file)}")
    output.line(output.dim(f"  key {one_line(done.key)}"))
    return Exit.DONE


def erase(args: argparse.Namespace, output: Output) -> int:
    """Remove a body and say so in the log."""
    from polite_crawler.archive import erase as erasing

    with open_store(store_dir(args)) as store:
        done = erasing.erase(store.index, args.name, reason=args.reason)
    if output.json:
        output.fact(done)
    else:
        output.line(
            f"{len(done.bodies)} bodies of {len(done.captures)} captures are gone; {done.documents} documents left"
        )
    return Exit.DONE


def check_bundle(args: argparse.Namespace, output: Output) -> int:
    """Check a bundle with no store."""
    from polite_crawler.archive.bundle_check import check_bundle as check

    found = check(args.check_bundle, key=args.key)
    if output.json:
        output.fact(found)
        return Exit.DONE if found.ok else Exit.FAILED
    for fault in found.faults:
        output.line(one_line(str(fault)))
    if found.ok:
        output.line(output.bold("proved") + f"  {one_line(found.quote or '')}")
        output.line(f"  {one_line(found.url or '')}  {found.fetched_at}")
        output.line(f"  line of {found.size} in the log of {one_line(found.origin or '')}")
    if found.note:
        output.line(f"  {one_line(found.note)}")
    return Exit.DONE if found.ok else Exit.FAILED
