"""What is wrong with an XR: the field, the value and what to do."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Self

from pydantic import ValidationError
from pydantic_core import ErrorDetails

# What stands for the value of a field that isn't there.
ABSENT = object()

_VALUE_MAX = 80
# Far above what an XR of eight pools can get wrong: a bound on hostile input alone.
_LISTED_MAX = 100

_MESSAGES = {
    "greater_than_equal": "must be at least {ge}",
    "int_type": "must be an integer",
    "less_than_equal": "must be at most {le}",
    "list_type": "must be a list",
    "literal_error": "must be {expected}",
    "missing": "is required; add it",
    "model_type": "must be an object",
    "string_too_long": "must be at most {max_length} characters long",
    "string_too_short": "must be at least {min_length} characters long",
    "string_type": "must be a string",
    "too_long": "must have at most {max_length} items",
    "too_short": "must have at least {min_length} items",
}


@dataclass(frozen=True)
class Violation:
    """One thing that is wrong with an XR."""

    path: str
    """Where, in the notation of the API server: `spec.nodePools[1].gpu`."""
    value: Any
    """The value found there, or `ABSENT`."""
    message: str
    """What must be so, and what to do where that isn't the same."""

    @classmethod
    def from_pydantic(cls, error: ErrorDetails) -> Self:
        """Build one from an error of pydantic's, in words that know nothing of Python."""
        template = _MESSAGES.get(error["type"])
        return cls(
            path=path(*error["loc"]),
            value=ABSENT if error["type"] == "missing" else error["input"],
            message=template.format(**error.get("ctx", {})) if template else error["msg"],
        )

    @property
    def shown_value(self) -> str | None:
        """The value as it is shown, None if there is none."""
        return None if self.value is ABSENT else shown(self.value)

    def __str__(self) -> str:
        """Return the violation on one line."""
        got = "" if self.shown_value is None else f" (got {self.shown_value})"
        return f"{self.path}: {self.message}{got}"


class InvalidError(ValueError):
    """An XR that breaks its API's bounds or rules."""

    def __init__(self, violations: Iterable[Violation]) -> None:
        """Keep the violations, in the order of their paths."""
        self.violations = sorted(violations, key=lambda violation: violation.path)
        super().__init__(self.violations)

    def __str__(self) -> str:
        """Return every violation, a line each."""
        lines = [str(violation) for violation in self.violations[:_LISTED_MAX]]
        if hidden := len(self.violations) - len(lines):
            lines.append(f"and {hidden} more")
        return "\n".join(lines)


def shown(value: object) -> str:
    """Return a value as JSON: on one line, in ASCII, cut to a bounded length."""
    # Sorted: protobuf's order differs from process to process, and messages must not.
    text = json.dumps(value, default=str, sort_keys=True)
    return text if len(text) <= _VALUE_MAX else text[: _VALUE_MAX - 3] + "..."


def path(*location: str | int) -> str:
    """Return a location in the notation of the API server: `spec.nodePools[1].gpu`."""
    steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in location)
    return "".join(steps).removeprefix(".")


def structural(error: ValidationError) -> list[Violation]:
    """Return the violations in an error of pydantic's."""
    return [Violation.from_pydantic(details) for details in error.errors(include_url=False)]
