"""A Kubernetes API without nodes: etcd, kube-apiserver, and garbage collection."""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Self

import trustme

from . import programs
from .api import Access, Api
from .process import HOST, Process, answers, free_port

# One user for each party, so that the audit log says who did what. All may do everything: what
# is tested is what they do, not what they are allowed to.
ADMIN = "admin"
CROSSPLANE = "crossplane"
CONTROLLER_MANAGER = "kube-controller-manager"
PROVIDER_CIVO = "provider-civo"
PROVIDER_HELM = "provider-helm"
USERS = (ADMIN, CROSSPLANE, CONTROLLER_MANAGER, PROVIDER_CIVO, PROVIDER_HELM)

# Every write of composed resources and XRs, one line each: who, what, and with which result.
AUDIT_POLICY = {
    "apiVersion": "audit.k8s.io/v1",
    "kind": "Policy",
    "omitStages": ["RequestReceived"],
    "rules": [
        {
            "level": "Metadata",
            "verbs": ["create", "update", "patch", "delete", "deletecollection"],
            "resources": [
                {"group": group}
                for group in (
                    "infrastructure.modelplane.ai",
                    "kubernetes.civo.m.upbound.io",
                    "vpc.civo.m.upbound.io",
                    "helm.m.crossplane.io",
                )
            ],
        },
        {"level": "None"},
    ],
}


@dataclass(frozen=True)
class Write:
    """A request that changed, or tried to change, an object.

    Attributes:
        user: Who made it.
        verb: `create`, `update`, `patch` or `delete`.
        resource: Plural name of the object's kind, with `/status` for its status alone.
        namespace: Where the object is.
        name: What it is called.
        code: HTTP status of the answer.
    """

    user: str
    verb: str
    resource: str
    namespace: str
    name: str
    code: int

    @classmethod
    def of(cls, line: str) -> Self:
        """Read a write from its line of the audit log."""
        event: dict[str, Any] = json.loads(line)
        what = event["objectRef"]
        subresource = what.get("subresource")
        return cls(
            user=event["user"]["username"],
            verb=event["verb"],
            resource=what["resource"] + (f"/{subresource}" if subresource else ""),
            namespace=what.get("namespace", ""),
            name=what.get("name", ""),
            code=event.get("responseStatus", {}).get("code", 0),
        )


class ControlPlane:
    """A running control plane, in a folder of its own. Leave its context to stop it."""

    def __init__(self, folder: Path) -> None:
        """Start the control plane and wait until it answers.

        Args:
            folder: For its data, keys and logs; empty.
        """
        self._folder = folder
        self._running = ExitStack()
        self.logs = folder / "logs"
        self.logs.mkdir(parents=True)
        self.processes: list[Process] = []
        try:
            self._start()
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """Stop everything that runs, the youngest first."""
        self._running.close()

    def run(self, name: str, *command: str | Path, **environment: str) -> Process:
        """Start a program that lives until the control plane stops."""
        return self.adopt(Process(name, command, self.logs, environment))

    def adopt(self, process: Process) -> Process:
        """Take a program in that was started elsewhere: it stops with the control plane."""
        self.processes.append(process)
        self._running.callback(process.stop)
        return process

    def access(self, user: str) -> Access:
        """Return how that user reaches the API server."""
        return Access(self._url, self._folder / "ca.crt", f"token-of-{user}", user)

    def kubeconfig(self, user: str) -> Path:
        """Return a kubeconfig file of that user."""
        file = self._folder / f"{user}.kubeconfig"
        file.write_text(self.access(user).kubeconfig())
        return file

    def client(self, user: str) -> Api:
        """Return a client that asks as that user."""
        api = Api(self.access(user))
        self._running.callback(api.close)
        return api

    def writes(self, namespace: str, user: str = "") -> list[Write]:
        """Return every write in a namespace so far, in order; by one user, or by all."""
        return [
            write
            for write in self.all_writes()
            if write.namespace == namespace and user in ("", write.user)
        ]

    def all_writes(self, after: int = 0) -> Iterator[Write]:
        """Yield every write so far but for so many of the first, in order."""
        with (self._folder / "audit.log").open() as log:
            yield from map(Write.of, islice(log, after, None))

    def _start(self) -> None:
        # etcd first: the API server needs seconds to load, and finds it there when it has.
        etcd_port, peer_port = free_port(), free_port()
        etcd_url, peer_url = f"http://{HOST}:{etcd_port}", f"http://{HOST}:{peer_port}"
        etcd = self.run(
            "etcd",
            programs.path(programs.ETCD),
            f"--data-dir={self._folder / 'etcd'}",
            f"--listen-client-urls={etcd_url}",
            f"--advertise-client-urls={etcd_url}",
            f"--listen-peer-urls={peer_url}",
            f"--initial-advertise-peer-urls={peer_url}",
            f"--initial-cluster=default={peer_url}",
            # What a crash of this machine would lose is thrown away at the end anyhow.
            "--unsafe-no-fsync",
            "--log-level=warn",
        )
        etcd.wait_for(lambda: answers(etcd_port))

        port = free_port()
        self._url = f"https://{HOST}:{port}"
        self._write_keys()
        api_server = self.run(
            "kube-apiserver",
            programs.path(programs.API_SERVER),
            f"--etcd-servers={etcd_url}",
            f"--bind-address={HOST}",
            f"--advertise-address={HOST}",
            "--endpoint-reconciler-type=none",
            f"--secure-port={port}",
            f"--tls-cert-file={self._folder / 'server.crt'}",
            f"--tls-private-key-file={self._folder / 'server.key'}",
            f"--token-auth-file={self._folder / 'tokens.csv'}",
            "--anonymous-auth=false",
            "--authorization-mode=RBAC",
            "--service-account-issuer=https://kubernetes.default.svc",
            f"--service-account-key-file={self._folder / 'server.key'}",
            f"--service-account-signing-key-file={self._folder / 'server.key'}",
            "--service-cluster-ip-range=10.0.0.0/24",
            # No pod ever runs here, and no controller makes the accounts that it waits for.
            "--disable-admission-plugins=ServiceAccount",
            f"--audit-policy-file={self._folder / 'audit-policy.json'}",
            f"--audit-log-path={self._folder / 'audit.log'}",
            # Never begun anew: what was written first counts to the end.
            "--audit-log-maxsize=100000",
            "--audit-log-mode=blocking",
            "--profiling=false",
        )
        admin = self.client(ADMIN)
        api_server.wait_for(admin.ready, within=90)
        self.run(
            "kube-controller-manager",
            programs.path(programs.CONTROLLER_MANAGER),
            f"--kubeconfig={self.kubeconfig(CONTROLLER_MANAGER)}",
            "--controllers=garbage-collector-controller",
            f"--bind-address={HOST}",
            "--secure-port=0",
            "--leader-elect=false",
        )

    def _write_keys(self) -> None:
        authority = trustme.CA()
        authority.cert_pem.write_to_path(str(self._folder / "ca.crt"))
        server = authority.issue_cert(HOST, "localhost")
        server.cert_chain_pems[0].write_to_path(str(self._folder / "server.crt"))
        server.private_key_pem.write_to_path(str(self._folder / "server.key"))
        (self._folder / "audit-policy.json").write_text(json.dumps(AUDIT_POLICY))
        (self._folder / "tokens.csv").write_text(
            "".join(f'token-of-{user},{user},{user},"system:masters"\n' for user in USERS)
        )
