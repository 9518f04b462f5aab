"""Web Bot Auth: signed requests, the key directory, and the verification of both."""

from polite_crawler.signing.agent import agent_uri, read_agents
from polite_crawler.signing.directory import KeyDirectory, directory_headers, key_directory, proven_keys
from polite_crawler.signing.draft import DIRECTORY_PATH, DIRECTORY_TYPE, DRAFT
from polite_crawler.signing.signer import RequestSigner, WebBotAuthSigner, configured_signer
from polite_crawler.signing.verifier import Outcome, verify

__all__ = [
    "DIRECTORY_PATH",
    "DIRECTORY_TYPE",
    "DRAFT",
    "KeyDirectory",
    "Outcome",
    "RequestSigner",
    "WebBotAuthSigner",
    "agent_uri",
    "configured_signer",
    "directory_headers",
    "key_directory",
    "proven_keys",
    "read_agents",
    "verify",
]
