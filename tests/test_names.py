"""Names, which must never change under resources that exist."""

import re

import pytest

from function import names


@pytest.mark.parametrize(
    ("namespace", "name", "expected", "reason"),
    [
        ("ml", "inference", "inference-45e99", "the name, and a hash of namespace/name"),
        ("team-a", "inference", "inference-945d7", "the same name elsewhere is another name"),
        ("ml", "a" * 57, "a" * 57 + "-e7418", "the longest that isn't cut"),
        ("ml", "a" * 63, "a" * 57 + "-2b56c", "at most 63 characters"),
        ("ml", "a" * 56 + "-b", "a" * 56 + "-c8d2e", "no hyphen before the hyphen"),
    ],
)
def test_civo(namespace: str, name: str, expected: str, reason: str) -> None:
    assert names.civo(namespace, name) == expected, reason
    assert len(names.civo(namespace, name)) <= 63
    assert re.fullmatch(r"[a-z0-9-]+", names.civo(namespace, name))


def test_kubeconfig_secret_is_the_name_that_consumers_know() -> None:
    assert names.kubeconfig_secret("inference") == "inference-kubeconfig-c53c6"


def test_node_pool() -> None:
    assert names.node_pool("gpu-l40s") == "node-pool-gpu-l40s"
