"""What was measured, in figures."""

import statistics
from collections.abc import Iterable
from dataclasses import dataclass, field


@dataclass
class Case:
    """Something measured again and again, in rounds that take turns with those of other cases."""

    name: str
    unit: str = "s"
    """Of the samples: `s` or `MiB`."""
    against: "Case | None" = None
    """The case of the same rounds that it is compared with."""
    limit: float | None = None
    """What it should stay below: the ratio to `against` if there is one, else the median."""
    rounds: list[list[float]] = field(default_factory=list)
    """The samples of every round."""


@dataclass(frozen=True)
class Figure:
    """What a case comes to."""

    name: str
    unit: str
    median: float
    p99: float
    low: float
    """The lowest median of a round: with `high`, how far noise reaches."""
    high: float
    """The highest median of a round."""
    against: str | None = None
    ratio: float | None = None
    """How many times what it is compared with: the median of the rounds."""
    limit: float | None = None

    @property
    def within(self) -> bool:
        """Whether it stays below its limit."""
        return self.limit is None or (self.ratio or self.median) <= self.limit


def figure(case: Case) -> Figure:
    """Return what a case comes to."""
    samples = [sample for one in case.rounds for sample in one]
    medians = [statistics.median(one) for one in case.rounds]
    ratio = None
    if case.against:
        # Round by round: what else the machine does then slows both alike.
        others = [statistics.median(one) for one in case.against.rounds]
        ratio = statistics.median(mine / other for mine, other in zip(medians, others, strict=True))
    return Figure(
        name=case.name,
        unit=case.unit,
        median=statistics.median(samples),
        p99=percentile(samples, 0.99),
        low=min(medians),
        high=max(medians),
        against=case.against.name if case.against else None,
        ratio=ratio,
        limit=case.limit,
    )


def percentile(samples: Iterable[float], share: float) -> float:
    """Return the smallest sample that a share of all samples doesn't exceed."""
    ordered = sorted(samples)
    return ordered[min(int(share * len(ordered)), len(ordered) - 1)]


def amount(value: float, unit: str) -> str:
    """Return a value as people read it."""
    if unit != "s":
        return f"{value:.1f} {unit}"
    if value < 0.001:
        return f"{value * 1e6:.0f} µs"
    if value < 1:
        return f"{value * 1e3:.2f} ms"
    return f"{value:.2f} s"
