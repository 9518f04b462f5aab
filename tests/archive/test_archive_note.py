"""Signed notes and checkpoints: what opens, and what is none."""

import pytest
from seal_lab import NOTE_KEY, ORIGIN

from polite_crawler.archive.note import BadNote, Checkpoint, VerifierKey, open_note, origin_of
from polite_crawler.errors import BadOption

# the example of the signed-note text, by another implementation
NOTE = (
    "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n\n"
    "— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n"
)


def test_a_note_of_another_implementation_opens() -> None:
    key = VerifierKey.parse(NOTE_KEY)
    assert str(key) == NOTE_KEY
    assert open_note(NOTE, key).startswith("If you think")
    for changed in (NOTE.replace("think", "thinK"), NOTE.replace("x08go", "x08gp"), NOTE.replace("Neumann", "Other")):
        with pytest.raises(BadNote):
            open_note(changed, key)


@pytest.mark.parametrize(
    "note",
    ["", "text\n", "text\n\nno signature\n", "text\n\n— name !!!\n", "\n\n— name AAAA\n", "x" * (1 << 21) + "\n\n"],
)
def test_what_is_no_note_does_not_open(note: str) -> None:
    with pytest.raises(BadNote):
        open_note(note, VerifierKey.parse(NOTE_KEY))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "o\n1\n",
        "o\n01\nAAAA\n",
        "o\n-1\nAAAA\n",
        "o\n1\nAAAA\n",
        "o\n1\n!\n",
        "o\n\n1\n",
        "o\n1\n" + "A" * 43 + "=",
    ],
)
def test_what_is_no_checkpoint_is_none(text: str) -> None:
    with pytest.raises(BadNote):
        Checkpoint.parse(text)


def test_a_checkpoint_passes_over_extension_lines() -> None:
    checkpoint = Checkpoint(ORIGIN, 3, bytes(32))
    assert Checkpoint.parse(checkpoint.text() + "more\n") == checkpoint


@pytest.mark.parametrize("text", ["a b", "a+b", "", "a\nb", "a\u2003b"])
def test_bad_origins(text: str) -> None:
    with pytest.raises(BadOption):
        origin_of(text)
