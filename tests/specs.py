"""Generated specs of CivoClusters."""

from typing import Any

from hypothesis import strategies as st

Spec = dict[str, Any]
Pool = dict[str, Any]

ROLES = ("System", "GPU")

_EDGES = [
    "workers",
    "Workers",
    "system",
    "System",
    "workers\n",
    "system ",
    "-a",
    "a-",
    "_a",
    "a.",
    "a/b",
    "a b",
    "é",
    "aé",
    "\u0663",
    "a\n",
    "\na",
    "x" * 40,
]
_VERSION_EDGES = [
    "1.34.1-k3s1",
    "1.34.1-k3s1-gpu",
    "1.34.1-k3s1-gpu.2-b",
    "1.34.1-k3s1-gpu_2",
    "1.34.1-k3s1-cpu",
    "1.34.1+k3s1",
    "1.34.1-k3s",
    "1.34-k3s1",
    "v1.34.1-k3s1",
    "1.34.1",
    "1.34.1-k3s1\n",
    "1.34.1-k3s1 ",
    " 1.34.1-k3s1",
    "\u0661.34.1-k3s1",
    "1x34.1-k3s1",
    "1.34x1-k3s1",
]


def text(alphabet: str, longest: int) -> st.SearchStrategy[str]:
    return st.text(alphabet=alphabet, min_size=1, max_size=longest)


_label_values = st.sampled_from(_EDGES) | text("aZ9-_.", 6) | text("aZ9-_. \n/é", 40)
_versions = st.sampled_from(_VERSION_EDGES) | text("0123.-k3sgpu \n", 32)
_counts = st.sampled_from([1, 2, 3, 999, 1000])

_edgy_pools = st.fixed_dictionaries(
    {
        "name": _label_values,
        "role": st.sampled_from(ROLES),
        "size": text("g4p.kube ", 63),
    },
    optional={
        "nodeCount": _counts,
        "minNodeCount": _counts,
        "maxNodeCount": _counts,
        "gpu": st.fixed_dictionaries({"acceleratorType": _label_values}),
    },
)

edgy: st.SearchStrategy[Spec] = st.fixed_dictionaries(
    {
        "region": text("LON1 ", 32),
        "nodePools": st.lists(_edgy_pools, min_size=1, max_size=4)
        | st.lists(_edgy_pools, min_size=8, max_size=8),
    },
    optional={
        "kubernetesVersion": _versions,
        "credentials": st.fixed_dictionaries(
            {},
            optional={
                "type": st.sampled_from(["ProviderConfig", "ClusterProviderConfig"]),
                "name": text("a-", 253),
            },
        ),
    },
)
"""Specs of the right structure, which may break any rule."""


POOL_NAMES = ("workers", "gpu-l40s", "GPU.2_x", "a")
VERSIONS = st.sampled_from(["1.33.4-k3s1", "1.34.1-k3s1", "1.35.2-k3s1-gpu.1", "1.36.1-k3s2"])


@st.composite
def node_counts(draw: st.DrawFn, name: str) -> dict[str, int]:
    """Generate the counts of a valid pool, which is autoscaled or of fixed size."""
    low, middle, high = sorted(draw(st.lists(_counts, min_size=3, max_size=3)))
    fixed: list[dict[str, int]] = [{}, {"nodeCount": high}]
    autoscaled: list[dict[str, int]] = [
        {"maxNodeCount": high},
        {"maxNodeCount": high, "nodeCount": middle},
        {"maxNodeCount": high, "minNodeCount": middle},
        {"maxNodeCount": high, "minNodeCount": middle, "nodeCount": low},
        {"maxNodeCount": high, "minNodeCount": low, "nodeCount": middle},
    ]
    return draw(st.sampled_from(fixed if name == "workers" else fixed + autoscaled))


@st.composite
def pools(draw: st.DrawFn, names: st.SearchStrategy[str]) -> Pool:
    """Generate a valid pool."""
    name, role = draw(names), draw(st.sampled_from(ROLES))
    pool: Pool = {"name": name, "role": role, "size": draw(st.sampled_from(["small", "large"]))}
    if role == "GPU" or draw(st.booleans()):
        pool["gpu"] = {"acceleratorType": draw(st.sampled_from(["nvidia-l40s", "nvidia-h100"]))}
    return {**pool, **draw(node_counts(name))}


@st.composite
def valid(draw: st.DrawFn) -> Spec:
    """Generate a valid spec."""
    names = draw(st.lists(st.sampled_from(POOL_NAMES), min_size=1, max_size=4, unique=True))
    spec: Spec = {
        "region": draw(st.sampled_from(["LON1", "NYC1"])),
        "nodePools": [draw(pools(st.just(name))) for name in names],
    }
    if draw(st.booleans()):
        spec["kubernetesVersion"] = draw(VERSIONS)
    if draw(st.booleans()):
        spec["credentials"] = draw(
            st.sampled_from([{}, {"type": "ProviderConfig"}, {"name": "team"}])
        )
    return spec


def place(data: st.DataObject, value: Any) -> tuple[Any, Any]:
    """Draw a place in an object: what holds it, and its key there."""
    key = data.draw(st.sampled_from(list(value) if isinstance(value, dict) else range(len(value))))
    inner = value[key]
    if isinstance(inner, dict | list) and inner and data.draw(st.integers(0, 3)):
        return place(data, inner)
    return value, key
