"""The models of what is emitted."""

import pytest
from pydantic import ValidationError

from function.composed import base, firewall


def test_a_wrong_field_cannot_be_emitted() -> None:
    with pytest.raises(ValidationError, match="extra_forbidden"):
        firewall.Rule.model_validate({"label": "ssh", "protocol": "tcp", "port": "22"})


def test_a_wrong_type_cannot_be_emitted() -> None:
    with pytest.raises(ValidationError, match="string_type"):
        base.ProviderConfigRef.model_validate({"kind": "ProviderConfig", "name": 8})
    with pytest.raises(ValidationError, match="literal_error"):
        base.ProviderConfigRef.model_validate({"kind": "Secret", "name": "default"})


def test_what_is_shared_cannot_be_changed() -> None:
    with pytest.raises(ValidationError, match="frozen_instance"):
        firewall.INGRESS[0].label = "ssh"  # type: ignore[misc]
