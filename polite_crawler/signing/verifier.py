"""What a site concludes from a request: whether it is signed by a key of a directory."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from http_message_signatures import HTTPMessageSignaturesException

from polite_crawler.errors import BadOption
from polite_crawler.signing.agent import LEGACY, AgentMember, is_https, is_well_known, read_agents
from polite_crawler.signing.directory import Json, KeyDirectory
from polite_crawler.signing.draft import TAG
from polite_crawler.signing.inputs import MOST_SIGNATURES, SignatureInput, read_inputs
from polite_crawler.signing.message import Headers, RequestMessage, request_message

Result = Literal["verified", "invalid", "unverified"]
_REQUIRED = ("created", "expires", "keyid")
_TARGETS = ("@authority", "@target-uri")
_BEST: tuple[Result, ...] = ("verified", "invalid", "unverified")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a verification (the three outcomes of the draft).

    `verified`: a key of the directory signed the request. `invalid`: it claims so, and the claim is wrong.
    `unverified`: nothing can be said. `reason` is a short word, "" when it is verified; `detail` says more for a
    person. `agent` is the value of the signature's member of Signature-Agent.
    """

    result: Result
    reason: str = ""
    keyid: str | None = None
    agent: str | None = None
    detail: str = ""

    @property
    def ok(self) -> bool:
        """Whether the request is verified."""
        return self.result == "verified"


def verify(
    method: str,
    url: str,
    headers: Headers,
    directory: KeyDirectory | Json,
    *,
    now: float,
    skew: float = 5.0,
    max_lifetime: float | None = None,
    agent_required: bool = True,
    reject_test_keys: bool = False,
) -> Outcome:
    """Verify the signature of a request with the key directory that its agent names.

    `url` is the URL that was asked for, `directory` the JWK set (object or JSON), `now` the time of the verifier in
    epoch seconds, `skew` the seconds that clocks may differ, `max_lifetime` the longest time from `created` to
    `expires`. Without `agent_required`, a request that names no agent is checked with the keys of the directory. A
    site that verifies in earnest sets `reject_test_keys`: everybody has the keys of RFC 9421. With several signatures
    for Web Bot Auth, one that is verified counts. It never raises for what a client sent.
    """
    try:
        message = request_message(method, url, headers)
    except BadOption as error:
        return Outcome("unverified", "url-unreadable", detail=str(error))
    ours = _signatures(message, agent_required)
    if isinstance(ours, Outcome):
        return ours
    if not isinstance(directory, KeyDirectory):
        try:
            directory = KeyDirectory.parse(directory, now=now, test_keys=not reject_test_keys)
        except ValueError as error:
            return Outcome("unverified", "directory-unreadable", detail=str(error))
    found = [_judge(message, one, directory, now, skew, max_lifetime) for one in ours]
    return min(found, key=lambda outcome: _BEST.index(outcome.result))


def _signatures(message: RequestMessage, agent_required: bool) -> list[SignatureInput] | Outcome:
    """The signatures for Web Bot Auth of a request, at least one; or why there is none to look at."""
    if "signature-input" not in message.headers:
        return Outcome("unverified", "unsigned")
    if agent_required and "signature-agent" not in message.headers:
        return Outcome("unverified", "signature-agent-absent")
    inputs = read_inputs(message.headers["signature-input"])
    if inputs is None:
        return Outcome("invalid", "signature-input-unreadable")
    ours = [one for one in inputs if one.tag == TAG][:MOST_SIGNATURES]
    return ours or Outcome("unverified", "no web-bot-auth signature")


def _judge(
    message: RequestMessage,
    given: SignatureInput,
    directory: KeyDirectory,
    now: float,
    skew: float,
    max_lifetime: float | None,
) -> Outcome:
    keyid = given.text("keyid")
    created, expires = given.moment("created"), given.moment("expires")
    if keyid is None or created is None or expires is None:
        lacking = [name for name in _REQUIRED if name not in given.params]
        return Outcome("invalid", "missing-fields", keyid, detail=", ".join(lacking) or "a parameter has a wrong type")
    if not given.covers(*_TARGETS):
        return Outcome("invalid", "target-not-covered", keyid)
    agent = _agent_of(message, given, keyid)
    if isinstance(agent, Outcome):
        return agent
    fault = given.date_fault(now, skew=skew)
    if fault is None and max_lifetime is not None and expires - created > max_lifetime:
        fault = "lifetime-too-long"
    if fault is not None:
        return Outcome("invalid", fault, keyid, agent)
    if directory.key(keyid, well_known=agent is None or is_well_known(agent)) is None:
        return Outcome("unverified", "key-unknown", keyid, agent)
    try:
        directory.check(message, keyid, label=given.label, tag=TAG)
    except (HTTPMessageSignaturesException, ValueError) as error:
        return Outcome("invalid", "bad-signature", keyid, agent, str(error))
    return Outcome("verified", "", keyid, agent)


def _agent_of(message: RequestMessage, given: SignatureInput, keyid: str) -> str | Outcome | None:
    """The agent that a signature names, None when there is no field, or why it names none."""
    if "signature-agent" not in message.headers:
        return None
    agents = read_agents(message.headers["signature-agent"])
    if agents is None:
        return Outcome("invalid", "signature-agent-unparsable", keyid)
    named = _named(agents, given)
    if isinstance(named, str):
        return Outcome("invalid", named, keyid)
    if named.label != LEGACY and not named.plain:
        return Outcome("unverified", "signature-agent-member-ignored", keyid, named.uri)
    if named.uri is None:
        return Outcome("invalid", "signature-agent-unparsable", keyid)
    if not is_https(named.uri):
        return Outcome("invalid", "signature-agent-not-https", keyid, named.uri)
    return named.uri


def _named(agents: Sequence[AgentMember], given: SignatureInput) -> AgentMember | str:
    """The member that a signature covers, its own one first; or the reason why there is none."""
    if [one.label for one in agents] == [LEGACY]:
        whole = any(name == "signature-agent" and "key" not in params for name, params in given.components)
        return agents[0] if whole else "signature-agent-not-covered"
    members = given.members("signature-agent")
    if not members:
        return "signature-agent-not-covered"
    label = given.label if given.label in members else members[0]
    return next((one for one in agents if one.label == label), "signature-agent-member-missing")
