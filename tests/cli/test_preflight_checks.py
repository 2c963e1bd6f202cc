"""The verdicts, by themselves."""

from dataclasses import dataclass, replace
from typing import Any

import pytest

from civo_api import offers
from function.cli import checks
from function.cli.checks import Answers, Check, Verdict
from function.cli.offers import Quota, Region
from function.cli.session import APIError, HopelessError, TokenRefusedError
from function.cli.wanted import Wanted

REGIONS = [Region.model_validate(region) for region in offers.REGIONS]
QUOTA = Quota.model_validate(
    {
        f"{prefix}_{which}": amount
        for prefix, amounts in offers.QUOTA.items()
        for which, amount in zip(("limit", "usage"), amounts, strict=True)
    }
)
GOOD = Answers(REGIONS, "LON1", [], [], QUOTA, set(), set(), set())

LATE = APIError("late", "wait")
GONE = HopelessError("gone", "look")
REFUSED = TokenRefusedError("refused", "set it")


@dataclass(frozen=True)
class Access:
    reason: str
    answers: dict[str, Any]
    verdict: Verdict
    message: str


ACCESS = {
    "all answered": Access("it works", {}, Verdict.OK, "Civo accepts the token"),
    "one late": Access("the others need it too", {"quota": LATE}, Verdict.OK, "Civo accepts"),
    "all of the account late": Access(
        "regions may be public",
        dict.fromkeys(("quota", "clusters", "networks", "firewalls"), LATE),
        Verdict.UNKNOWN,
        "late",
    ),
    "gone in between": Access(
        "what wasn't asked says to look here", {"firewalls": GONE}, Verdict.UNKNOWN, "gone"
    ),
    "refused at last": Access(
        "it may not do all that is needed", {"firewalls": REFUSED}, Verdict.FAIL, "refused"
    ),
    "late, then gone": Access(
        "what stopped it counts", {"regions": LATE, "quota": GONE}, Verdict.UNKNOWN, "gone"
    ),
}


@pytest.mark.parametrize("case", ACCESS.values(), ids=ACCESS)
def test_access(case: Access) -> None:
    answers = replace(GOOD, **case.answers)
    found = next(one for one in checks.run(Wanted.read({}), [], answers) if one.name == "access")
    assert found.verdict == case.verdict, case.reason
    assert case.message in found.message, case.reason
    assert bool(found.remedy) == (found.verdict != Verdict.OK), case.reason


def test_nothing_said() -> None:
    """A manifest that says nothing is no reason to say that a name is free."""
    found = {one.name: one for one in checks.run(Wanted.read({}), [], replace(GOOD, regions=LATE))}
    named = Wanted.read({"metadata": {"name": "a", "namespace": "b"}})
    assert found["name of cluster"].verdict == Verdict.UNKNOWN
    found = {one.name: one for one in checks.run(named, [], replace(GOOD, regions=LATE, region=""))}
    assert found["name of cluster"].verdict == Verdict.UNKNOWN


EXITS = {
    "nothing wrong": ([Verdict.OK, Verdict.WARN], 0),
    "one unknown": ([Verdict.OK, Verdict.UNKNOWN], 2),
    "one failed": ([Verdict.OK, Verdict.FAIL, Verdict.WARN], 1),
    "one of each: it fails, whatever the unknown is": (list(Verdict), 1),
}


@pytest.mark.parametrize(("verdicts", "code"), EXITS.values(), ids=EXITS)
def test_exit_code(verdicts: list[Verdict], code: int) -> None:
    assert checks.exit_code(Check("", verdict, "") for verdict in verdicts) == code


STAND_INS = {
    "it exists": ("FRA1", "FRA1"),
    "in other letters": ("fra1", "FRA1"),
    "misspelled": ("NYC", "NYC1"),
    "like no other: the default": ("atlantis", "LON1"),
    "none": ("", "LON1"),
}


@pytest.mark.parametrize(("wanted", "region"), STAND_INS.values(), ids=STAND_INS)
def test_stand_in(wanted: str, region: str) -> None:
    assert checks.stand_in(wanted, REGIONS) == region


def test_stand_in_without_default() -> None:
    assert checks.stand_in("atlantis", REGIONS[1:]) == "NYC1"
