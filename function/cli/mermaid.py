"""A pass as a Mermaid diagram: the composed resources, and what waits for what."""

from collections.abc import Iterator

from function.cli.life import Pass
from function.cli.relations import WaitsFor

_CLASSES = """\
  classDef ready stroke:#2a2,stroke-width:2px
  classDef waiting stroke:#28c,stroke-width:2px
  classDef held stroke:#999,stroke-dasharray:4"""


def diagram(one: Pass, waits_for: WaitsFor) -> str:
    """Return the flowchart of a pass, the arrows pointing to who waits.

    Args:
        one: The pass.
        waits_for: What each resource that may be composed waits for, in the order to show.
    """
    return "\n".join(["flowchart LR", *_nodes(one, waits_for), *_arrows(waits_for), _CLASSES])


def _nodes(one: Pass, waits_for: WaitsFor) -> Iterator[str]:
    for name in waits_for:
        if name not in one.composed:
            yield f'  {name}["{name}<br/>not composed yet"]:::held'
            continue
        state = "ready" if name in one.ready else "waiting"
        yield f'  {name}["{name}<br/>{one.composed[name]["kind"]}, {state}"]:::{state}'


def _arrows(waits_for: WaitsFor) -> Iterator[str]:
    for name, awaited in waits_for.items():
        for source, what in awaited.items():
            yield f"  {source} -->|{what}| {name}"
