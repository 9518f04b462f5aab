"""The settings of signed requests: defaults, the environment, and what is not valid."""

from typing import Any

import pytest

from polite_crawler.errors import BadOption
from polite_crawler.rules.options import Options
from polite_crawler.rules.signature import SignatureOptions

KEY, AGENT = "bot.pem", "https://bot.example.com"
BOTH = {"POLITE_SIGN_KEY": KEY, "POLITE_SIGNATURE_AGENT": AGENT}
ENVIRONMENT = {"POLITE_CRAWLER_SIGN_KEY": "env.pem", "POLITE_CRAWLER_SIGNATURE_AGENT": "https://env.example.com"}


def signature_of(settings: dict[str, Any], environment: dict[str, str] | None = None) -> SignatureOptions:
    return Options.of(settings.get, environment or {}, version="1").signature


@pytest.mark.parametrize(
    ("settings", "environment", "expected"),
    [
        ({}, {}, SignatureOptions()),
        (BOTH, {}, SignatureOptions(KEY, AGENT)),
        ({}, ENVIRONMENT, SignatureOptions("env.pem", "https://env.example.com")),
        (BOTH, ENVIRONMENT, SignatureOptions(KEY, AGENT)),
        (
            BOTH
            | {"POLITE_SIGN": "On-Request", "POLITE_SIGN_COVER": "@method, @path @path", "POLITE_SIGN_FORM": "origin"},
            {},
            SignatureOptions(KEY, AGENT, "on-request", ("@method", "@path"), "origin"),
        ),
        ({**BOTH, "POLITE_SIGN_LIFETIME": 30}, {}, SignatureOptions(KEY, AGENT, lifetime_s=30.0)),
        ({"POLITE_SIGN_KEY": KEY, "POLITE_SIGN": "never"}, {}, SignatureOptions(KEY, when="never")),
    ],
)
def test_the_settings(settings: dict[str, Any], environment: dict[str, str], expected: SignatureOptions) -> None:
    assert signature_of(settings, environment) == expected


@pytest.mark.parametrize(("settings", "on"), [({}, False), (BOTH, True), ({**BOTH, "POLITE_SIGN": "never"}, False)])
def test_when_a_key_may_be_used(settings: dict[str, Any], on: bool) -> None:
    assert signature_of(settings).on is on


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"POLITE_SIGN_KEY": KEY}, "there is the key, and no agent"),
        ({"POLITE_SIGNATURE_AGENT": AGENT}, "there is the agent, and no key"),
        ({**BOTH, "POLITE_SIGN": "maybe"}, "POLITE_SIGN: 'maybe'"),
        ({**BOTH, "POLITE_SIGN_FORM": "bare"}, "POLITE_SIGN_FORM: 'bare'"),
        ({**BOTH, "POLITE_SIGN_COVER": ["@status"]}, "POLITE_SIGN_COVER"),
        ({**BOTH, "POLITE_SIGN_LIFETIME": 0}, "POLITE_SIGN_LIFETIME"),
        ({**BOTH, "POLITE_SIGN_LIFETIME": "25h"}, "POLITE_SIGN_LIFETIME"),
        ({**BOTH, "POLITE_SIGN_LIFETIME": "soon"}, "POLITE_SIGN_LIFETIME"),
    ],
)
def test_what_is_not_valid(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(BadOption, match=words):
        signature_of(settings)
