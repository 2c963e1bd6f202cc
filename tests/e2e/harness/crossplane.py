"""Crossplane itself, with our packages installed by its package manager and our function behind it.

Nothing here knows what is composed. What a user does after installing Crossplane is done here the
same way; only where images come from is turned around, to a registry on this machine.
"""

import base64
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import trustme
import yaml

from . import packages, programs
from .api import Api, ConflictError, Kind, Object, is_true
from .control_plane import ADMIN, CROSSPLANE, ControlPlane
from .packages import Dependency, Registry
from .process import HOST, Process, answers, eventually, free_port

NAMESPACE = "crossplane-system"
CONFIGURATION = Kind("pkg.crossplane.io/v1", "Configuration")
PACKAGES = (
    CONFIGURATION,
    Kind("pkg.crossplane.io/v1", "Provider"),
    Kind("pkg.crossplane.io/v1", "Function"),
)
FUNCTION_REVISION = Kind("pkg.crossplane.io/v1", "FunctionRevision")
PROVIDER_REVISION = Kind("pkg.crossplane.io/v1", "ProviderRevision")
XRD = Kind("apiextensions.crossplane.io/v2", "CompositeResourceDefinition")
ACTIVATION_POLICY = Kind("apiextensions.crossplane.io/v1alpha1", "ManagedResourceActivationPolicy")
XR = Kind("infrastructure.modelplane.ai/v1alpha1", "CivoCluster")
COMPOSED = (
    NETWORK := Kind("vpc.civo.m.upbound.io/v1beta1", "Network"),
    FIREWALL := Kind("vpc.civo.m.upbound.io/v1beta1", "Firewall"),
    CLUSTER := Kind("kubernetes.civo.m.upbound.io/v1beta1", "Cluster"),
    NODE_POOL := Kind("kubernetes.civo.m.upbound.io/v1beta1", "NodePool"),
    PROVIDER_CONFIG := Kind("helm.m.crossplane.io/v1beta1", "ProviderConfig"),
    RELEASE := Kind("helm.m.crossplane.io/v1beta1", "Release"),
)
XRD_NAME = "civoclusters.infrastructure.modelplane.ai"

# Secrets that Crossplane fills.
_AUTHORITY = "crossplane-root-ca"
_CLIENT = "crossplane-tls-client"

_RUNS: Object = {
    "type": "RuntimeHealthy",
    "status": "True",
    "reason": "HealthyPackageRevision",
    "lastTransitionTime": "2024-01-01T00:00:00Z",
}

_CONFIGURATION_PATH = "modelplane/configuration-civocluster"
_TAG = "v0.1.0"


class Crossplane:
    """A control plane with Crossplane, our Configuration and our function, ready for XRs.

    Attributes:
        core: Crossplane.
        function: The function that it calls.
        function_certificates: Folder with the function's certificate and the authority's.
    """

    def __init__(self, control_plane: ControlPlane, folder: Path, crds: Path) -> None:
        """Install and start everything.

        Args:
            control_plane: Where Crossplane is installed.
            folder: For packages, certificates and caches; empty.
            crds: Folder with the CustomResourceDefinitions of the two providers.
        """
        self._control_plane = control_plane
        self._folder = folder
        self.function_certificates = folder / "function-certificates"
        self._api: Api = control_plane.client(ADMIN)

        registry = Registry(control_plane.logs, folder / "registry")
        control_plane.adopt(registry.process)
        self._initialise()
        self._lay_out_certificates()
        self.core = self._start_core()
        self._function_port = free_port()
        self.function = self._serve(serve_from_source())
        self._publish(registry, crds)
        self._install(registry)

    def ensure_running(self) -> None:
        """Start again what a test that failed has left stopped."""
        if not self.core.running:
            self.start_core()
        if not self.function.running:
            self.start_function()

    def stop_core(self) -> None:
        """Stop Crossplane."""
        self.core.stop()

    def kill_core(self) -> None:
        """End Crossplane without a warning."""
        self.core.kill()

    def start_core(self) -> None:
        """Start Crossplane again after it was stopped."""
        self.core.restart()
        self.core.wait_for(lambda: answers(self._health_port))

    def kill_function(self) -> None:
        """End the function without a warning."""
        self.function.kill()

    def start_function(self, command: Sequence[str | Path] | None = None) -> None:
        """Start a function where one was before; by default the one that was stopped.

        Args:
            command: Serves it; the options come after it.
        """
        if command is None:
            self.function.restart()
        else:
            self.function.stop()
            self.function = self._serve(command)
        self._wait_for_function()

    def _initialise(self) -> None:
        self._api.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}})
        self._api.create(
            {
                "apiVersion": "v1",
                "kind": "ServiceAccount",
                "metadata": {"namespace": NAMESPACE, "name": "crossplane"},
            }
        )
        initialise = self._run_core(
            "crossplane-init",
            "init",
            TLS_CA_SECRET_NAME=_AUTHORITY,
            TLS_CLIENT_SECRET_NAME=_CLIENT,
            CRDS_PATH=str(programs.core_crds()),
        )
        # It gives up where its own new kinds aren't served yet; a Pod would be restarted then.
        for _ in range(5):
            eventually(lambda: not initialise.running, what="crossplane core init ends")
            if "Initialization has been completed" in initialise.tail():
                return
            initialise.restart()
        raise RuntimeError(initialise.tail())

    def _run_core(self, name: str, command: str, *options: str, **environment: str) -> Process:
        return self._control_plane.run(
            name,
            programs.path(programs.CORE),
            "core",
            command,
            f"--namespace={NAMESPACE}",
            # The webhook protects what a Usage names: we compose none.
            "--enable-webhooks=false",
            *options,
            KUBECONFIG=str(self._control_plane.kubeconfig(CROSSPLANE)),
            **environment,
        )

    def _lay_out_certificates(self) -> None:
        """Lay out the client's certificate of Crossplane, and sign one for the function."""
        client = self._folder / "client-certificates"
        server = self.function_certificates
        client.mkdir()
        server.mkdir()
        for file, content in self._secret(_CLIENT).items():
            (client / file).write_bytes(content)

        # Crossplane signs a function's certificate itself where it runs the function.
        authority = self._secret(_AUTHORITY)
        signed = trustme.CA.from_pem(authority["tls.crt"], authority["tls.key"]).issue_cert(HOST)
        signed.private_key_pem.write_to_path(str(server / "tls.key"))
        signed.cert_chain_pems[0].write_to_path(str(server / "tls.crt"))
        (server / "ca.crt").write_bytes(authority["tls.crt"])

    def _secret(self, name: str) -> Mapping[str, bytes]:
        data = self._api.get(Kind("v1", "Secret"), NAMESPACE, name)["data"]
        return {key: base64.b64decode(value) for key, value in data.items()}

    def _start_core(self) -> Process:
        self._health_port = free_port()
        cache = self._folder / "cache"
        cache.mkdir()
        return self._run_core(
            "crossplane",
            "start",
            f"--cache-dir={cache}",
            "--package-runtime=External",
            # Minutes of a cloud's life pass in seconds here: many events, and no storm.
            "--circuit-breaker-burst=5000",
            f"--tls-client-certs-dir={self._folder / 'client-certificates'}",
            f"--metrics-port={free_port()}",
            f"--health-probe-port={self._health_port}",
        )

    def _serve(self, command: Sequence[str | Path]) -> Process:
        return self._control_plane.run(
            "function",
            *command,
            f"--address={HOST}:{self._function_port}",
            f"--tls-server-certs-dir={self.function_certificates}",
        )

    def _wait_for_function(self) -> None:
        self.function.wait_for(lambda: answers(self._function_port))

    def _publish(self, registry: Registry, crds: Path) -> None:
        registry.wait()
        built = self._folder / "packages"
        built.mkdir()
        configuration = packages.build(packages.CONFIGURATION_ROOT, built / "configuration.xpkg")
        registry.push(configuration, _CONFIGURATION_PATH, _TAG)
        for dependency in packages.dependencies(packages.CONFIGURATION_ROOT):
            if dependency.kind == "Function":
                package = packages.build(packages.FUNCTION_ROOT, built / "function.xpkg")
            else:
                package = packages.stand_in(dependency, _crds_of(dependency, crds), built)
            registry.push(package, dependency.path, dependency.lowest)

    def _install(self, registry: Registry) -> None:
        # Every host of a package becomes our registry: the packages themselves stay as they are.
        hosts = {
            dependency.package.split("/", 1)[0]
            for dependency in packages.dependencies(packages.CONFIGURATION_ROOT)
        }
        for host in hosts:
            self._api.create(_image_config(host, registry.host))
        self._api.create(
            {
                "apiVersion": CONFIGURATION.api_version,
                "kind": CONFIGURATION.name,
                "metadata": {"name": "civocluster"},
                "spec": {"package": f"{min(hosts)}/{_CONFIGURATION_PATH}:{_TAG}"},
            }
        )
        self._wait_for_function()
        eventually(self._run_packages, what="all packages are healthy and their APIs there")

    def _run_packages(self) -> bool:
        """Play the runtime of packages with a program, which here is outside of Crossplane.

        It says that the program runs, where it is, and which Secret has its certificate (any
        will do: it would be for webhooks, and there are none).
        """
        endpoint = {"endpoint": f"{HOST}:{self._function_port}"}
        for kind, facts in ((FUNCTION_REVISION, endpoint), (PROVIDER_REVISION, {})):
            for revision in self._api.list(kind):
                if is_true(revision, "RuntimeHealthy"):
                    continue
                name = revision["metadata"]["name"]
                version = revision["metadata"]["resourceVersion"]
                status = {
                    "tlsServerSecretName": _CLIENT,
                    "conditions": [*revision.get("status", {}).get("conditions", []), _RUNS],
                    **facts,
                }
                change = {"metadata": {"resourceVersion": version}, "status": status}
                with suppress(ConflictError):
                    self._api.patch(kind, "", name, change, status=True)
        return self._installed()

    def _installed(self) -> bool:
        definition = self._api.find(XRD, "", XRD_NAME)
        installed = [each for kind in PACKAGES for each in self._api.list(kind)]
        return (
            len(installed) == 1 + len(packages.dependencies(packages.CONFIGURATION_ROOT))
            and all(is_true(each, "Healthy") for each in installed)
            and definition is not None
            and is_true(definition, "Established")
            and all(self._api.knows(kind) for kind in (XR, *COMPOSED))
        )


def serve_from_source() -> list[str]:
    """Return the command that serves the function from this tree."""
    return [sys.executable, "-m", "function.main"]


def _image_config(host: str, registry: str) -> Object:
    return {
        "apiVersion": "pkg.crossplane.io/v1beta1",
        "kind": "ImageConfig",
        "metadata": {"name": host},
        "spec": {
            "matchImages": [{"type": "Prefix", "prefix": f"{host}/"}],
            "rewriteImage": {"prefix": f"{registry}/"},
        },
    }


def _crds_of(dependency: Dependency, crds: Path) -> list[Path]:
    """Return the CRDs of a provider: those of its API groups."""
    suffixes = {"provider-civo": "civo.m.upbound.io", "provider-helm": "helm.m.crossplane.io"}
    suffix = suffixes[dependency.path.rsplit("/", 1)[-1]]
    found = {file: yaml.safe_load(file.read_text()) for file in sorted(crds.rglob("*.yaml"))}
    return [file for file, crd in found.items() if crd["spec"]["group"].endswith(suffix)]
