"""The packages and the examples: what a person installs and applies."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from function import __version__, api, structs
from running import run
from situations import ALL, cluster_xr

ROOT = Path(__file__).parent.parent
APIS = ROOT / "apis"
FUNCTION_NAME = "modelplane-function-civocluster"


def documents(*files: Path) -> list[Any]:
    return [one for file in files for one in yaml.safe_load_all(file.read_text())]


def one(file: Path) -> Any:
    (document,) = documents(file)
    return document


def test_each_package_root_holds_what_its_kind_may_hold() -> None:
    configuration = documents(*sorted(APIS.rglob("*.yaml")))

    assert sorted(document["kind"] for document in configuration) == [
        "CompositeResourceDefinition",
        "Composition",
        "Configuration",
        "ManagedResourceActivationPolicy",
    ]
    assert [file.name for file in (ROOT / "package").iterdir()] == ["crossplane.yaml"]


@pytest.mark.parametrize(
    ("file", "kind"),
    [(APIS / "crossplane.yaml", "Configuration"), (ROOT / "package/crossplane.yaml", "Function")],
)
def test_package_meta_has_what_people_expect(file: Path, kind: str) -> None:
    meta = one(file)

    assert (meta["apiVersion"], meta["kind"]) == ("meta.pkg.crossplane.io/v1", kind)
    annotations = meta["metadata"]["annotations"]
    for name in ("maintainer", "source", "license", "description", "readme"):
        assert annotations[f"meta.crossplane.io/{name}"].strip()
    assert annotations["meta.crossplane.io/license"] == "Apache-2.0"


def test_the_function_declares_that_it_composes() -> None:
    assert one(ROOT / "package/crossplane.yaml")["spec"]["capabilities"] == ["composition"]


def test_the_configuration_depends_on_the_providers_and_this_function() -> None:
    dependencies = one(APIS / "crossplane.yaml")["spec"]["dependsOn"]

    assert [
        (one["apiVersion"], one["kind"], one["package"].split("/", 1)[1], bool(one["version"]))
        for one in dependencies
    ] == [
        ("pkg.crossplane.io/v1", "Provider", "upbound/provider-civo", True),
        ("pkg.crossplane.io/v1", "Provider", "crossplane-contrib/provider-helm", True),
        ("pkg.crossplane.io/v1", "Function", "modelplane/function-civocluster", True),
    ]


def test_the_composition_calls_the_function_by_the_name_it_is_installed_under() -> None:
    composition = one(APIS / "civoclusters/composition.yaml")

    assert composition["spec"]["mode"] == "Pipeline"
    (step,) = composition["spec"]["pipeline"]
    # The package manager makes the name from the package's: organization and repository.
    package = one(APIS / "crossplane.yaml")["spec"]["dependsOn"][2]["package"]
    assert step["functionRef"]["name"] == "-".join(package.split("/")[1:]) == FUNCTION_NAME
    assert composition["spec"]["compositeTypeRef"] == {
        "apiVersion": api.API_VERSION,
        "kind": api.KIND,
    }


def test_the_activation_policy_names_every_managed_resource_that_is_composed() -> None:
    policy = one(APIS / "activationpolicy.yaml")

    desired = run(cluster_xr(), ALL).desired.resources.values()
    composed = [structs.to_dict(one.resource) for one in desired]
    kinds = {f"{one['kind'].lower()}s.{one['apiVersion'].split('/')[0]}" for one in composed}
    # A provider config is no managed resource.
    assert set(policy["spec"]["activate"]) == kinds - {"providerconfigs.helm.m.crossplane.io"}


def test_the_example_function_is_the_one_of_the_composition() -> None:
    function = one(ROOT / "examples/functions.yaml")

    assert function["metadata"]["name"] == FUNCTION_NAME
    assert function["metadata"]["annotations"]["render.crossplane.io/runtime"] == "Development"
    assert function["spec"]["package"].endswith(f"/modelplane/function-civocluster:v{__version__}")


def test_the_runtime_config_is_restricted() -> None:
    deployment = one(ROOT / "examples/runtime-config.yaml")["spec"]["deploymentTemplate"]["spec"]
    pod = deployment["template"]["spec"]
    (container,) = pod["containers"]

    assert deployment["replicas"] == 2
    assert container["name"] == "package-runtime", "the container that the package manager runs"
    # What the Pod Security Standard "restricted" asks for, and a read-only root.
    assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "capabilities": {"drop": ["ALL"]},
        "readOnlyRootFilesystem": True,
        "runAsNonRoot": True,
    }
    assert container["resources"].keys() == {"requests", "limits"}
    for probe in ("readinessProbe", "livenessProbe"):
        assert container[probe]["tcpSocket"] == {"port": 9443}


def test_the_image_runs_as_nobody_of_note() -> None:
    lines = (ROOT / "Dockerfile").read_text().splitlines()

    assert "USER 2000:2000" in lines
    assert "EXPOSE 9443" in lines
    bases = [line.split("=")[1] for line in lines if line.startswith("ARG ")]
    assert len(bases) == 2
    assert len(set(bases)) == 1, "the same Python in both stages"


def test_the_lock_files_have_hashes_and_no_hosts() -> None:
    for file in (ROOT / "requirements").iterdir():
        text = file.read_text()
        assert "://" not in text
        pins = [line for line in text.splitlines() if line[:1].isalnum()]
        assert all("==" in pin and pin.endswith("\\") for pin in pins), file.name
        assert text.count("--hash=sha256:") >= len(pins)
