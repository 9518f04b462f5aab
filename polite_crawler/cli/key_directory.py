"""`pc-key-directory`: the JWK set that a host serves, so that sites can verify signed requests."""

import argparse
from collections.abc import Sequence
from typing import Any

from polite_crawler.cli.exits import Exit
from polite_crawler.cli.options import option_type
from polite_crawler.cli.output import Output
from polite_crawler.errors import BadOption
from polite_crawler.rules import durations, identity, urls
from polite_crawler.version import __version__


@option_type
def lifetime(text: str) -> float:
    """How long a proof is valid, in seconds."""
    seconds = durations.seconds(text, "--lifetime")
    if seconds < 1:
        raise BadOption("--lifetime: a proof is valid for 1 second or longer")
    return seconds


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The keys, and what to print of them."""
    parser.add_argument(
        "--sign-key",
        nargs="+",
        action="extend",
        required=True,
        metavar="FILE",
        help="Ed25519 keys (PEM or JWK, private or public); several for a rotation",
    )
    parser.add_argument(
        "--signature-agent", metavar="URL", help="where the directory will be: an origin, or the URL of a JWK set"
    )
    parser.add_argument(
        "--headers",
        action="store_true",
        help="print the header fields to serve with it, which prove that you hold the keys",
    )
    parser.add_argument(
        "--lifetime", type=lifetime, default="30d", metavar="D", help="how long that proof is valid (30d)"
    )
    parser.add_argument("--card", metavar="URL", help="print the agent card to serve at this URL (experimental)")


def run(args: argparse.Namespace, output: Output) -> int:
    """Print the directory, its header fields or the agent card. Nothing is sent and no store is opened."""
    from polite_crawler.signing import agent_uri, key_directory
    from polite_crawler.signing.keys import load_keys

    url = agent_uri(args.signature_agent) if args.signature_agent is not None else None
    keys = [key for path in args.sign_key for key in load_keys(path)]
    body = key_directory(keys)
    if args.card is not None:
        output.fact(_card(args, _needed(url, "--card")))
        return Exit.DONE
    if not args.headers:
        output.octets(body)
        # a file gets the octets that the proof is about, and nothing more
        if output.terminal:
            output.line()
        return Exit.DONE
    headers = _proof(_needed(url, "--headers"), body, keys, args.lifetime)
    if output.json:
        output.fact({"url": url, "headers": headers, "body": body.decode("ascii")})
    else:
        for name, value in headers.items():
            output.line(f"{name}: {value}")
    return Exit.DONE


def _proof(url: str, body: bytes, keys: Sequence[Any], lifetime_s: float) -> dict[str, str]:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    from polite_crawler.signing import directory_headers

    private: list[Ed25519PrivateKey] = [key for key in keys if isinstance(key, Ed25519PrivateKey)]
    if not private:
        raise BadOption("--headers needs a private key: only who holds it can prove it")
    return directory_headers(url, body, private, lifetime_s=lifetime_s)


def _card(args: argparse.Namespace, jwks_uri: str) -> dict[str, Any]:
    from polite_crawler.signing.card import agent_card

    who = identity.identity(version=__version__, contact=args.contact or "", on_behalf_of=args.on_behalf_of)
    contact = (args.contact or "").strip()
    return agent_card(
        args.card,
        name=who.token,
        jwks_uri=jwks_uri,
        user_agent=who.user_agent,
        product_token=who.token,
        contacts=[f"mailto:{who.mailbox}"] if who.mailbox else [contact] if urls.is_http(contact) else [],
        client_uri=identity.DEFAULT_BOT_URL,
    )


def _needed(url: str | None, option: str) -> str:
    if url is None:
        raise BadOption(f"{option} needs --signature-agent: the proof holds for one host alone")
    return url
