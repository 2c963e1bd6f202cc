"""What providers and Civo say, made fit to be shown."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from function import civo_errors
from function.untrusted import clean


@pytest.mark.parametrize(
    ("text", "expected", "reason"),
    [
        ("plain text, 1.34.1-k3s1", "plain text, 1.34.1-k3s1", "most messages are harmless"),
        (
            "a\n\tb\x00c\u202ed",
            "a b c d",
            "one line, and nothing that moves a cursor or turns text",
        ),
        ("\x1b[1;31mred\x1b[0m", "red", "a terminal's colours are ours to choose"),
        ("x " * 500, ("x " * 149)[:297] + "...", "bounded"),
        ("bearer abcdefgh", "bearer [redacted]", "what follows bearer is a token"),
        ('"token": "abcdefgh"', '"token": "[redacted]"', "labelled as a token"),
        ("api_key=abcdefgh, x", "api_key=[redacted], x", "labelled as a key"),
        ("got A1b2C3d4E5f6G7h8I9j0K1l2M3n4", "got [redacted]", "it looks like a token"),
        (
            "network 5b1f4a8e-0a50-4c0e-9a8b-8c9f1b7c2d11",
            "network 5b1f4a8e-0a50-4c0e-9a8b-8c9f1b7c2d11",
            "a UUID is what people look things up by",
        ),
        (
            "database_network_inuse_by_volumes",
            "database_network_inuse_by_volumes",
            "a long code is no token",
        ),
        (
            'cannot get secret "civo-credentials": token authentication failed',
            'cannot get secret "civo-credentials": token authentication failed',
            "words of a message aren't secrets",
        ),
    ],
)
def test_clean(text: str, expected: str, reason: str) -> None:
    assert clean(text) == expected, reason


HEX = "0123456789abcdef"


@given(st.text(st.characters(exclude_characters=HEX)), st.text(HEX, min_size=32, max_size=64))
def test_clean_is_one_bounded_line_without_the_token(text: str, token: str) -> None:
    line = clean(f"{text} bearer {token} {text}")

    assert len(line) <= 300
    assert line.isprintable()
    assert token not in line


CODES = [
    "quota_limit_reached",
    "database_size_not_found",
    "region_unavailable",
    "database_kubernetes_cluster_invalid_version",
    "database_duplicate_cluster_name_not_allowed",
    "database_network_exists",
    "database_firewall_duplicate_name",
    "database_account_not_found",
    "requires_authentication",
    "database_network_inuse_by_volumes",
    "database_firewall_inuse_by_cluster",
]


@pytest.mark.parametrize("code", CODES)
def test_every_code_is_found(code: str) -> None:
    assert civo_errors.find(f"[ERR] {code.upper()}: no") is civo_errors.BY_CODE[code]
    assert civo_errors.find(f"x{code}") is None, "a code is a whole word"
