"""When and how requests are signed, as a person asks for it. The signing itself is in `polite_crawler.signing`."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, cast, get_args

from polite_crawler.errors import BadOption

When = Literal["always", "on-request", "never"]
Form = Literal["uri", "origin"]

COVERABLE: tuple[str, ...] = ("@method", "@path", "@query", "@target-uri", "@scheme", "@request-target")
"""What a signature can cover beside the authority and the agent. @method and @path keep a seen signature from being
used for another page of the same host."""

LONGEST_S = 86_400.0
"""The longest lifetime of a signature (24 h, as the draft recommends)."""


@dataclass(frozen=True, slots=True)
class SignatureOptions:
    """The checked settings. `key` is the path of a file, `agent` the URL of the key directory, `lifetime_s` seconds.

    `when`: `always`, `never`, or `on-request`: from the first answer on in which an origin asks for a signature.
    """

    key: str = ""
    agent: str = ""
    when: When = "always"
    cover: tuple[str, ...] = ()
    form: Form = "uri"
    lifetime_s: float = 300.0

    @property
    def on(self) -> bool:
        """Whether a key is there and may be used."""
        return bool(self.key) and self.when != "never"


def signature_options(
    *, key: str, agent: str, when: str, cover: Sequence[str], form: str, lifetime_s: float
) -> SignatureOptions:
    """The options of the settings POLITE_SIGN_KEY, POLITE_SIGNATURE_AGENT, POLITE_SIGN, POLITE_SIGN_COVER,
    POLITE_SIGN_FORM and POLITE_SIGN_LIFETIME. Raises BadOption."""
    if when not in get_args(When):
        raise BadOption(f"POLITE_SIGN: {when!r} is none of {', '.join(get_args(When))}")
    if form not in get_args(Form):
        raise BadOption(f"POLITE_SIGN_FORM: {form!r} is none of {', '.join(get_args(Form))}")
    for name in cover:
        if name not in COVERABLE:
            raise BadOption(f"POLITE_SIGN_COVER: a signature cannot cover {name!r} (it can: {', '.join(COVERABLE)})")
    if not 1 <= lifetime_s <= LONGEST_S:
        raise BadOption(f"POLITE_SIGN_LIFETIME: a signature lives 1 second to 24 hours, not {lifetime_s:g} s")
    if when != "never" and bool(key) != bool(agent):
        there, lacking = ("key", "agent (POLITE_SIGNATURE_AGENT, --signature-agent)")
        if agent:
            there, lacking = ("agent", "key (POLITE_SIGN_KEY, --sign-key)")
        raise BadOption(f"a signature needs a key and an agent: there is the {there}, and no {lacking}")
    return SignatureOptions(key, agent, cast("When", when), tuple(dict.fromkeys(cover)), cast("Form", form), lifetime_s)
