"""The verdicts of a preflight: what a manifest asks for, held against what Civo answers.

Pure: no network, no clock.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from enum import StrEnum

from function import civo_errors, versions
from function.cli.offers import Quota, Region, Size, Version
from function.cli.session import APIError, HopelessError, TokenRefusedError
from function.cli.wanted import Pool, Wanted
from function.violations import Violation, shown


class Verdict(StrEnum):
    """What came out of a check."""

    OK = "ok"
    WARN = "warn"
    UNKNOWN = "unknown"
    FAIL = "fail"


@dataclass(frozen=True)
class Check:
    """A thing that was looked at."""

    name: str
    verdict: Verdict
    message: str
    """What was found."""
    remedy: str = ""
    """What to do, where all isn't well."""


@dataclass(frozen=True)
class Answers:
    """What Civo answered: each the thing that was asked for, or why it isn't there."""

    regions: list[Region] | APIError
    region: str
    """The region that the rest is of: the wanted one, or one that stands in for it."""
    sizes: list[Size] | APIError
    versions: list[Version] | APIError
    quota: Quota | APIError
    clusters: set[str] | APIError
    networks: set[str] | APIError
    firewalls: set[str] | APIError


@dataclass(frozen=True)
class Resource:
    """Something that there is a quota of."""

    key: str
    """The prefix of the quota's fields."""
    title: str
    show: Callable[[int], str]
    per_node: Callable[[Size], int] | None = None
    """How much a node of a size takes; None where that doesn't depend on sizes."""
    each: int = 0
    """How much a node takes of any size."""
    once: int = 0
    """How much a cluster takes, whatever nodes it has."""
    spare: bool = False
    """Whether a cluster that takes none wants one left over."""


def run(wanted: Wanted, violations: Iterable[Violation], answers: Answers) -> Iterator[Check]:
    """Yield all checks of a manifest.

    Args:
        wanted: What the manifest asks for, as far as it can be read.
        violations: What is wrong with the manifest.
        answers: What Civo says to it.
    """
    yield from _manifest(violations)
    yield _access(answers)
    yield from _region(wanted, answers)
    yield from _sizes(wanted.pools, answers)
    yield from _versions(wanted, answers)
    yield from _quota(wanted.pools, answers)
    yield from _names(wanted, answers)


def stand_in(wanted: str, regions: Sequence[Region]) -> str:
    """Return the region to ask about, for a manifest that wants one that may not exist.

    Returns:
        The wanted region if it exists; else the one whose name is nearest to it, or Civo's
        default one.
    """
    codes = [region.code for region in regions]
    if wanted in codes:
        return wanted
    default = next((region.code for region in regions if region.default), codes[0])
    return near(wanted, codes) or default


def near(wanted: str, offered: Iterable[str]) -> str:
    """Return what of the offered somebody may have meant, empty if nothing is near."""
    by_folded = {one.casefold(): one for one in offered}
    return "".join(by_folded[one] for one in get_close_matches(wanted.casefold(), by_folded, n=1))


def exit_code(checks: Iterable[Check]) -> int:
    """Return 1 if a check fails, else 2 if one couldn't tell, else 0."""
    verdicts = {check.verdict for check in checks}
    if Verdict.FAIL in verdicts:
        return 1
    return 2 if Verdict.UNKNOWN in verdicts else 0


def _manifest(violations: Iterable[Violation]) -> Iterator[Check]:
    broken = [Check("manifest", Verdict.FAIL, str(violation)) for violation in violations]
    yield from broken or [Check("manifest", Verdict.OK, "keeps the rules of its API")]


def _access(answers: Answers) -> Check:
    # Regions, sizes and versions may be public; what is the account's isn't.
    own = [answers.quota, answers.clusters, answers.networks, answers.firewalls]
    given = [answers.regions, answers.sizes, answers.versions, *own]
    errors = [answer for answer in given if isinstance(answer, APIError)]
    hopeless = next((error for error in errors if isinstance(error, HopelessError)), None)
    if isinstance(hopeless, TokenRefusedError):
        return Check("access", Verdict.FAIL, hopeless.message, hopeless.remedy)
    if hopeless is None and not all(isinstance(answer, APIError) for answer in own):
        return Check("access", Verdict.OK, "Civo accepts the token")
    error = hopeless or errors[0]
    return Check("access", Verdict.UNKNOWN, error.message, error.remedy)


def _unknown(name: str, error: APIError) -> Check:
    """Return the check of what Civo didn't tell."""
    if isinstance(error, HopelessError):
        # What to do about that stands there, once.
        return Check(name, Verdict.UNKNOWN, "not asked, for want of access")
    return Check(name, Verdict.UNKNOWN, error.message, error.remedy)


def _region(wanted: Wanted, answers: Answers) -> Iterator[Check]:
    if isinstance(answers.regions, APIError):
        yield _unknown("region", answers.regions)
        return
    codes = [region.code for region in answers.regions]
    found = next((one for one in answers.regions if one.code == wanted.region), None)
    if found is None:
        what = f"Civo has no region {shown(wanted.region)}"
        message = what if wanted.region else "the manifest names no region"
        message += f"; {answers.region} stands in for it below"
        remedy = _instead("spec.region", near(wanted.region, codes), codes, "regions")
        yield Check("region", Verdict.FAIL, message, remedy)
        return
    yield Check("region", Verdict.OK, f"{found.code} ({found.name})" if found.name else found.code)
    usable = [
        region.code
        for region in answers.regions
        if region.features.kubernetes
        and not region.out_of_capacity
        and (region.features.gpu or not wanted.gpu)
    ]
    remedy = _instead("spec.region", "", usable, "regions")
    yield _feature("region Kubernetes", "Kubernetes", found.features.kubernetes, remedy)
    if wanted.gpu:
        yield _feature("region GPUs", "GPUs", found.features.gpu, remedy)
    if found.out_of_capacity:
        remedy = f"wait, or {remedy}"
        yield Check("region capacity", Verdict.FAIL, f"{found.code} is out of capacity", remedy)
    else:
        yield Check("region capacity", Verdict.OK, "isn't used up")


def _feature(name: str, title: str, has: bool | None, remedy: str) -> Check:  # noqa: FBT001
    if has is None:
        message = f"Civo doesn't say whether the region has {title}"
        return Check(name, Verdict.WARN, message, "look whether the sizes below are offered")
    if has:
        return Check(name, Verdict.OK, f"the region has {title}")
    return Check(name, Verdict.FAIL, f"the region has no {title}", remedy)


def _sizes(pools: Iterable[Pool], answers: Answers) -> Iterator[Check]:
    for pool in pools:
        name = f"size of {pool.title}"
        if isinstance(answers.sizes, APIError):
            yield _unknown(name, answers.sizes)
        elif pool.size:
            yield replace(_size(pool, answers.sizes, answers.region), name=name)


def _size(pool: Pool, sizes: Sequence[Size], region: str) -> Check:
    fitting = [
        size.name
        for size in sizes
        if size.for_kubernetes and size.selectable and pool.gpu in (None, size.gpu_count > 0)
    ]
    wanted = shown(pool.size)
    size = _find_size(pool.size, sizes)
    # What is like the name of a size of the wrong kind needn't be what was meant.
    meant = "" if size and size.selectable else near(pool.size, fitting)
    remedy = _instead("size", meant, fitting, f"sizes --region {region}")
    if size is None:
        if pool.size in [one.name for one in sizes]:
            message = f"{wanted} isn't a size for clusters"
        else:
            message = f"{region} has no size {wanted}"
    elif not size.selectable:
        message = f"{wanted} can't be selected in {region}"
    elif pool.gpu and not size.gpu_count:
        message = f"{wanted} has no GPU, for a pool of role GPU"
    elif pool.gpu is False and size.gpu_count:
        message = f"{wanted} has GPUs, for a pool of role System"
        remedy = f"set role to GPU, or {remedy}"
    else:
        return Check("", Verdict.OK, f"{size.name}: {describe(size)}")
    return Check("", Verdict.FAIL, message, remedy)


def describe(size: Size) -> str:
    """Return what a size is made of, on one line."""
    parts = [f"{size.cpu_cores} cores", gigabytes(size.ram_mb), f"{size.disk_gb} GB of disk"]
    if size.gpu_count:
        parts.append(f"{size.gpu_count} x {size.gpu_type or 'GPU'}")
    return ", ".join(parts)


def gigabytes(megabytes: int) -> str:
    """Return an amount of memory in GB."""
    return f"{megabytes / 1024:g} GB"


def _find_size(name: str, sizes: Sequence[Size]) -> Size | None:
    return next((size for size in sizes if size.name == name and size.for_kubernetes), None)


def _versions(wanted: Wanted, answers: Answers) -> Iterator[Check]:
    name, field = "Kubernetes version", "spec.kubernetesVersion"
    if isinstance(answers.versions, APIError):
        yield _unknown(name, answers.versions)
        return
    offered = [one.version for one in answers.versions]
    stable = [one.version for one in answers.versions if _stable(one)]
    listing = f"versions --region {answers.region}"
    found = next((one for one in answers.versions if _is_wanted(one, wanted.version)), None)
    if found is None:
        if wanted.version is None:
            message = "none is set, and Civo names no default"
            remedy = _instead(field, "", stable or offered, listing)
            yield Check(name, Verdict.UNKNOWN, message, remedy)
        # One that isn't even a text is a violation already.
        elif wanted.version:
            message = f"{answers.region} doesn't offer {shown(wanted.version)}"
            remedy = _instead(field, near(wanted.version, offered), stable or offered, listing)
            yield Check(name, Verdict.FAIL, message, remedy)
        return
    message = f"{found.version} ({found.type}{', the default' if found.default else ''})"
    if _stable(found):
        yield Check(name, Verdict.OK, message)
    else:
        yield Check(name, Verdict.WARN, message, _instead(field, "", stable, listing))
    minor = versions.minor(found.version)
    if wanted.gpu and minor and minor < versions.DRA_SINCE:
        since = ".".join(map(str, versions.DRA_SINCE))
        yield Check(
            "GPU claims",
            Verdict.WARN,
            f"{found.version} has no generally available Dynamic Resource Allocation, which GPU "
            "workloads claim GPUs with",
            f"set {field} to {since} or newer",
        )


def _is_wanted(version: Version, wanted: str | None) -> bool:
    return version.default if wanted is None else version.version == wanted


def _stable(version: Version) -> bool:
    return version.type.casefold() == "stable"


_RESOURCES = [
    Resource("cpu_core", "cores", str, per_node=lambda size: size.cpu_cores),
    Resource("ram_mb", "memory", gigabytes, per_node=lambda size: size.ram_mb),
    Resource("disk_gb", "disk", "{} GB".format, per_node=lambda size: size.disk_gb),
    Resource("instance_count", "instances", str, each=1),
    Resource("network_count", "networks", str, once=1),
    Resource("security_group", "firewalls", str, once=1),
    # PersistentVolumeClaims make volumes later on.
    Resource("disk_volume_count", "volumes", str, spare=True),
]


def _quota(pools: Sequence[Pool], answers: Answers) -> Iterator[Check]:
    if isinstance(answers.quota, APIError):
        yield _unknown("quota", answers.quota)
        return
    sizes = [] if isinstance(answers.sizes, APIError) else answers.sizes
    for resource in _RESOURCES:
        initial = maximum = resource.once
        left_out = []
        for pool in pools:
            each = _per_node(resource, pool, sizes)
            if each == 0:
                continue
            if each is None or pool.initial is None or pool.maximum is None:
                left_out.append(pool.title)
                continue
            initial += each * pool.initial
            maximum += each * pool.maximum
        yield _fits(resource, answers.quota, initial, maximum, left_out)


def _per_node(resource: Resource, pool: Pool, sizes: Sequence[Size]) -> int | None:
    """Return how much a node of a pool takes, None where that isn't known."""
    if resource.per_node is None:
        return resource.each
    size = _find_size(pool.size, sizes)
    return resource.per_node(size) if size else None


def _fits(
    resource: Resource, quota: Quota, initial: int, maximum: int, left_out: Sequence[str]
) -> Check:
    name = f"quota of {resource.title}"
    limit, usage = quota.limit(resource.key), quota.usage(resource.key)
    free = max(limit - usage, 0)
    first, most, rest = (resource.show(amount) for amount in (initial, maximum, free))
    room = f"{rest} free of {resource.show(limit)}"
    remedy = civo_errors.BY_CODE["quota_limit_reached"].remedy
    needs = f"needs {first}" if initial == maximum else f"needs {first} at first, {most} at most"
    if initial > free:
        return Check(name, Verdict.FAIL, f"{needs}: {room}", remedy)
    if left_out:
        message = f"{needs}, without {', '.join(left_out)}: {room}"
        return Check(name, Verdict.UNKNOWN, message, "correct the size and counts of these pools")
    if maximum > free:
        remedy = "lower maxNodeCount, or have Civo raise the quota before the pools grow"
        return Check(name, Verdict.WARN, f"{needs}: {room}", remedy)
    if resource.spare and not free:
        return Check(name, Verdict.WARN, f"{room} for PersistentVolumeClaims", remedy)
    return Check(name, Verdict.OK, f"{needs}: {room}")


def _names(wanted: Wanted, answers: Answers) -> Iterator[Check]:
    lists = [
        ("cluster", answers.clusters, "database_duplicate_cluster_name_not_allowed"),
        ("network", answers.networks, "database_network_exists"),
        ("firewall", answers.firewalls, "database_firewall_duplicate_name"),
    ]
    for kind, taken, code in lists:
        name = f"name of {kind}"
        if isinstance(taken, APIError):
            yield _unknown(name, taken)
        elif not wanted.name or not wanted.region or wanted.region != answers.region:
            message = "depends on a name, a namespace and a region that are right"
            yield Check(name, Verdict.UNKNOWN, message, "correct them first")
        elif wanted.name in taken:
            known = civo_errors.BY_CODE[code]
            message = f"{wanted.name}: {known.cause}"
            remedy = f"{known.remedy}; all is well if it is this CivoCluster's, applied before"
            yield Check(name, Verdict.FAIL, message, remedy)
        else:
            yield Check(name, Verdict.OK, f"{wanted.name} is free")


def _instead(field: str, meant: str, offered: Sequence[str], listing: str) -> str:
    """Return what to do about a field whose value isn't offered.

    Args:
        field: Which.
        meant: What the user may have meant, empty if nobody knows.
        offered: What is offered instead.
        listing: The command that lists all there is.
    """
    if not offered:
        return f"nothing that is offered fits {field}; see `civocluster {listing}`"
    several = f"one of: {', '.join(offered[:_OFFERED_MAX])}"
    choice = meant or (several if len(offered) > 1 else offered[0])
    return f"set {field} to {choice} (`civocluster {listing}` lists all)"


# More isn't read.
_OFFERED_MAX = 5
