"""The function's responses."""

import json
from collections.abc import Callable
from typing import Any

import pytest
import yaml
from crossplane.function import logging
from crossplane.function.proto.v1 import run_function_pb2 as fnv1
from google.protobuf import json_format

from function import plan, structs
from running import Object, request, respond, run
from situations import ALL, DESIRED_BASE, GPU, SITUATIONS, WORKERS, cluster_xr

BY_NAME = {situation.name: situation for situation in SITUATIONS}


def as_dict(message: Any) -> Any:
    return json_format.MessageToDict(message)


@pytest.mark.parametrize("name", BY_NAME)
def test_composes(name: str) -> None:
    situation = BY_NAME[name]

    answer = run(situation.xr, situation.observed)

    composed = {key: as_dict(one.resource) for key, one in answer.desired.resources.items()}
    assert composed == situation.desired, situation.reason
    readiness = {key: one.ready for key, one in answer.desired.resources.items()}
    assert readiness == {
        key: fnv1.READY_TRUE if key in situation.ready else fnv1.READY_UNSPECIFIED
        for key in situation.desired
    }, situation.reason
    assert [(result.severity, result.reason) for result in answer.results] == [
        (fnv1.SEVERITY_WARNING, reason) for reason in situation.warnings
    ], situation.reason
    # Nothing else: no readiness of the XR, which Crossplane derives, and no requirements.
    assert as_dict(answer).keys() <= {"meta", "desired", "results", "conditions", "context"}
    assert as_dict(answer.desired.composite).keys() == {"resource"}
    assert as_dict(answer.desired.composite.resource).keys() == {"status"}


def test_tells_in_every_situation(golden: Callable[[str, str], None]) -> None:
    """What the user reads on the XR in every situation, for a person to find right."""
    told = []
    for situation in SITUATIONS:
        answer = run(situation.xr, situation.observed)
        conditions = [
            f"{one.type}={one.status == fnv1.STATUS_CONDITION_TRUE} {one.reason}: {one.message}"
            for one in answer.conditions
        ]
        warnings = [f"{result.reason}: {result.message}" for result in answer.results]
        status = structs.to_dict(answer.desired.composite.resource)
        told.append(
            {
                "situation": situation.name,
                "conditions": conditions,
                **({"warnings": warnings} if warnings else {}),
                **json.loads(json.dumps(status, sort_keys=True)),
            }
        )
    golden("situations.yaml", yaml.safe_dump(told, sort_keys=False, width=10_000))


def test_every_violation_is_named_in_one_fatal_result() -> None:
    xr = cluster_xr(
        {**WORKERS, "nodeCount": 0, "minNodeCount": 2},
        {"name": "workers", "role": "GPU", "size": "", "maxNodeCount": 1.5},
        {**GPU, "name": "-gpu", "minNodeCount": 8},
        region="x" * 33,
        kubernetesVersion="1.34",
        credentials={"type": "Secret"},
    )
    del xr["metadata"]["namespace"]

    answer = run(xr, ALL)

    assert not answer.desired.resources
    assert [(result.severity, result.reason) for result in answer.results] == [
        (fnv1.SEVERITY_FATAL, "InvalidCivoCluster")
    ]
    assert answer.results[0].message.splitlines() == [
        "the CivoCluster is invalid:",
        "metadata.namespace: is required; add it",
        (
            "spec.credentials.type: must be 'ProviderConfig' or 'ClusterProviderConfig' "
            '(got "Secret")'
        ),
        (
            "spec.kubernetesVersion: must be a k3s version with its build suffix, for example "
            '1.34.1-k3s1 (got "1.34")'
        ),
        (
            "spec.nodePools[0].minNodeCount: minNodeCount needs maxNodeCount; add maxNodeCount to "
            "autoscale the pool, or remove minNodeCount (got 2)"
        ),
        "spec.nodePools[0].nodeCount: must be at least 1 (got 0)",
        (
            "spec.nodePools[1].gpu: is required for role GPU; add gpu.acceleratorType, for example "
            "nvidia-l40s"
        ),
        "spec.nodePools[1].maxNodeCount: must be an integer (got 1.5)",
        (
            "spec.nodePools[1].name: an autoscaled pool can't be named 'workers', which the "
            "cluster autoscaler takes to mean every pool of the cluster; choose another name or "
            'remove maxNodeCount (got "workers")'
        ),
        'spec.nodePools[1].size: must be at least 1 characters long (got "")',
        (
            "spec.nodePools[2].minNodeCount: minNodeCount can't exceed maxNodeCount; lower "
            "minNodeCount or raise maxNodeCount (got 8)"
        ),
        (
            "spec.nodePools[2].name: must be a Kubernetes label value: letters, digits, '-', '_' "
            "and '.', beginning and ending with a letter or digit (got \"-gpu\")"
        ),
        f'spec.region: must be at most 32 characters long (got "{"x" * 33}")',
    ]


@pytest.mark.parametrize(
    ("xr", "message"),
    [
        pytest.param(
            cluster_xr(region="LON1"),
            "spec.region: region can't change: the cluster in the old region would be forgotten "
            "and go on costing money; set it back, or create another CivoCluster and delete this "
            'one (it was "NYC1") (got "LON1")',
            id="region",
        ),
        pytest.param(
            cluster_xr(WORKERS, {**GPU, "size": "an.g1.l40s.kube.x2"}),
            "spec.nodePools[1].size: size can't change; add a pool under a new name, then remove "
            'the old one (it was "an.g1.l40s.kube.x1") (got "an.g1.l40s.kube.x2")',
            id="size",
        ),
        pytest.param(
            cluster_xr(WORKERS, {**GPU, "role": "System"}),
            "spec.nodePools[1].role: role can't change; add a pool under a new name, then remove "
            'the old one (it was "GPU") (got "System")',
            id="role to System",
        ),
        pytest.param(
            cluster_xr({**WORKERS, "role": "GPU", "gpu": {"acceleratorType": "any"}}, GPU),
            "spec.nodePools[0].role: role can't change; add a pool under a new name, then remove "
            'the old one (it was "System") (got "GPU")',
            id="role to GPU",
        ),
    ],
)
def test_what_cannot_change_is_refused_and_nothing_touched(xr: Object, message: str) -> None:
    answer = run(xr, ALL)

    assert not answer.desired.resources
    assert [(result.severity, result.message) for result in answer.results] == [
        (fnv1.SEVERITY_FATAL, f"the CivoCluster is invalid:\n{message}")
    ]


def test_a_pool_of_an_earlier_function_does_not_tell_its_role() -> None:
    pool = {**ALL["node-pool-gpu-l40s"], "spec": {"forProvider": {"labels": {"gpu": "yes"}}}}

    answer = run(cluster_xr(), {**ALL, "node-pool-gpu-l40s": pool})

    assert not answer.results, "labels that aren't ours say nothing of the role"


def piped() -> fnv1.RunFunctionRequest:
    """Return a request as it comes after another function of the pipeline."""
    piped = request(cluster_xr())
    piped.meta.tag = "tag"
    piped.context.update({"example.org/context": {"count": 8}})
    piped.desired.composite.resource.update({"status": {"theirs": 1, "secrets": "overwritten"}})
    piped.desired.composite.ready = fnv1.READY_FALSE
    piped.desired.resources["theirs"].resource.update({"kind": "Theirs", "spec": {"count": 8}})
    piped.desired.resources["theirs"].ready = fnv1.READY_TRUE
    piped.desired.resources["network"].resource.update({"metadata": {"labels": {"cost": "ml"}}})
    return piped


def test_what_other_functions_desire_passes_through() -> None:
    before = piped()

    answer = respond(before)

    assert before == piped(), "the request is only read"
    assert answer.meta.tag == "tag"
    assert answer.context == before.context
    assert answer.desired.resources["theirs"] == before.desired.resources["theirs"]
    assert answer.desired.composite.ready == fnv1.READY_FALSE
    status = structs.to_dict(answer.desired.composite.resource)["status"]
    assert status["theirs"] == 1
    assert status["secrets"] == [
        {"type": "Kubeconfig", "name": "inference-kubeconfig-c53c6", "key": "kubeconfig"}
    ]
    network = as_dict(answer.desired.resources["network"].resource)
    assert network == {**DESIRED_BASE["network"], "metadata": {"labels": {"cost": "ml"}}}


def test_a_fatal_result_leaves_desired_state_as_it_came() -> None:
    invalid = piped()
    invalid.observed.composite.resource.update(cluster_xr(region=""))

    answer = respond(invalid)

    assert answer.desired == piped().desired
    assert answer.context == invalid.context
    assert answer.meta.tag == "tag"
    assert [result.severity for result in answer.results] == [fnv1.SEVERITY_FATAL]


def test_an_unexpected_error_is_fatal_and_gives_no_secret_away(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("a bug")

    monkeypatch.setattr(plan, "compose", broken)
    before = piped()
    before.observed.resources["cluster"].connection_details["kubeconfig"] = b"a-secret"
    logging.configure(logging.Level.INFO)
    try:
        answer = respond(before)
    finally:
        logging.configure(logging.Level.DISABLED)

    assert answer.desired == before.desired
    assert [(result.severity, result.reason, result.message) for result in answer.results] == [
        (
            fnv1.SEVERITY_FATAL,
            "UnexpectedError",
            (
                "unexpected RuntimeError in the function; nothing was changed. The function's log "
                "has the traceback: please report it"
            ),
        )
    ]
    logged = capsys.readouterr().out
    assert "RuntimeError: a bug" in logged
    assert "a-secret" not in logged
    assert "Traceback" not in answer.results[0].message


def test_what_is_no_name_is_logged_in_bounds(capsys: pytest.CaptureFixture[str]) -> None:
    xr = cluster_xr()
    xr["metadata"].update(name="x" * 1_000_000, namespace="\x1b[2J")
    logging.configure(logging.Level.INFO)
    try:
        run(xr)
    finally:
        logging.configure(logging.Level.DISABLED)

    logged = capsys.readouterr().out
    assert len(logged) < 1000
    assert "\\\\u001b[2J" in logged


def test_one_info_line_a_run(capsys: pytest.CaptureFixture[str]) -> None:
    logging.configure(logging.Level.INFO)
    try:
        run(cluster_xr(), ALL)
        run(cluster_xr(region=""), ALL)
    finally:
        logging.configure(logging.Level.DISABLED)

    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [
        {key: line.get(key) for key in ("level", "namespace", "name", "resources", "ready", "msg")}
        for line in lines
    ] == [
        {
            "level": "info",
            "namespace": "ml",
            "name": "inference",
            "resources": 7,
            "ready": 7,
            "msg": "Composed",
        },
        {
            "level": "info",
            "namespace": "ml",
            "name": "inference",
            "resources": None,
            "ready": None,
            "msg": "The CivoCluster is invalid",
        },
    ]
