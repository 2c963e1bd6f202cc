"""Many CivoClusters on one control plane, the clouds' troubles, and what kills its programs."""

from collections import Counter
from collections.abc import Callable
from random import Random
from time import monotonic, sleep

from e2e.harness.api import Object
from e2e.harness.civo import Call
from e2e.harness.control_plane import CROSSPLANE
from e2e.harness.crossplane import CLUSTER, FIREWALL, NETWORK, NODE_POOL, RELEASE, XR
from e2e.harness.live import Live
from e2e.harness.process import eventually

from .lives import Asked, Life

_PER_NAMESPACE = 10
# Something happens to every cluster once in so many seconds.
_BETWEEN_ACTIONS = 60
_TICK = 0.1
_BETWEEN_LOOKS = 2
_BETWEEN_FLAPS = 5
_BETWEEN_KILLS = 30
# Troubles heal after so many seconds, or sooner.
_HEALED = 20
# After so many of all actions, a cloud refuses something.
_REFUSED = 0.2
# Everything comes to rest: a few times what the slowest took when nothing was in its way.
_PATIENCE = 300


class World:
    """CivoClusters of many users, and what happens to them.

    Attributes:
        live: Where they are, and nothing else.
        users: Who has them, each in a namespace.
        lives: All of them, those too that don't exist at the moment.
        asked: What their users asked for.
        troubles: How often each thing went wrong.
    """

    def __init__(self, live: Live, size: int, seed: int) -> None:
        """Make so many, none of which exists yet; chance is the same for the same seed."""
        self.live = live
        self.asked = Asked()
        self.troubles: Counter[str] = Counter()
        self._chance = Random(seed)  # noqa: S311 - chance, no secret
        self.users = [live.user() for _ in range(-(-size // _PER_NAMESPACE))]
        # The same names in every namespace: nothing of one may be taken for another's.
        self.lives = [
            Life(
                self.users[number // _PER_NAMESPACE],
                f"cluster-{number % _PER_NAMESPACE}",
                self.asked,
                Random(f"{seed}/{number}"),  # noqa: S311
            )
            for number in range(size)
        ]
        self._heals: list[tuple[float, Callable[[], None]]] = []

    def live_for(self, seconds: float, tell: Callable[[str], None]) -> None:
        """Let everything happen for so long, while programs are killed; all run in the end.

        Args:
            seconds: How long.
            tell: Told what goes on, every few seconds.
        """
        end = monotonic() + seconds
        for life in self.lives:
            life.act()
        regularly = {
            self._act: _BETWEEN_ACTIONS / len(self.lives),
            self._look: _BETWEEN_LOOKS,
            self._flap: _BETWEEN_FLAPS,
            self._kill: _BETWEEN_KILLS,
        }
        due = dict.fromkeys(regularly, 0.0)
        while (now := monotonic()) < end:
            for what, between in regularly.items():
                if now >= due[what]:
                    what()
                    due[what] = now + self._chance.expovariate(1 / between)
            self._heal(now)
            tell(f"for {end - now:.0f} s more: {self._state()}")
            sleep(_TICK)
        self._heal(float("inf"))

    def rest(self, tell: Callable[[str], None]) -> None:
        """Wait until what should be there is ready, and what should be gone is.

        Raises:
            TimeoutError: That took too long.
        """

        def at_rest() -> bool:
            self._look()
            tell(f"coming to rest: {self._state()}")
            return not self.restless()

        eventually(at_rest, within=_PATIENCE, every=_BETWEEN_LOOKS, what="all are ready or gone")

    def restless(self) -> list[str]:
        """Return the CivoClusters that are not ready though they should be, or not gone."""
        return [
            f"{life.user.namespace}/{life.name} is not {'ready' if life.alive else 'gone'}"
            for life in self.lives
            if life.going or (life.alive and not life.ready)
        ]

    def delete_all(self) -> None:
        """Delete every CivoCluster."""
        for life in self.lives:
            if life.alive:
                life.delete()

    def run_the_function(self) -> None:
        """Have Crossplane look at every CivoCluster once more, and wait until it has."""
        control_plane = self.live.control_plane
        before = sum(1 for _ in control_plane.all_writes())
        alive = [life for life in self.lives if life.alive]
        for life in alive:
            life.user.nudge(life.name)

        def looked() -> bool:
            # Each has one network, which is applied every time.
            applied = {
                (write.namespace, write.name)
                for write in control_plane.all_writes(before)
                if (write.user, write.resource) == (CROSSPLANE, "networks")
            }
            return len(applied) == len(alive)

        eventually(looked, within=_PATIENCE, every=_BETWEEN_LOOKS, what="the function runs again")

    def _state(self) -> str:
        alive = sum(life.alive for life in self.lives)
        ready = sum(life.alive and life.ready for life in self.lives)
        return f"{alive} of {len(self.lives)} exist, {ready} are ready"

    def _act(self) -> None:
        life = self._chance.choice(self.lives)
        life.act()
        if self._chance.random() < _REFUSED:
            self._refuse(life)

    def _look(self) -> None:
        found = {_key(xr): xr for xr in self.live.api.list(XR)}
        for life in self.lives:
            life.look(found.get((life.user.namespace, life.name)))

    def _refuse(self, life: Life) -> None:
        """Have a cloud refuse something that a CivoCluster may need now, or later, or not."""
        network = self.live.civo.network_of(life.in_civo)
        if life.going and network and self._chance.random() < 0.5:
            network.volumes = 1
            self._trouble("volumes left", lambda: setattr(network, "volumes", 0))
            return
        call = self._chance.choice(life.calls())
        self.live.civo.refusals[call] = "quota_limit_reached"
        self._trouble("requests refused", lambda: self._allow(call))

    def _allow(self, call: Call) -> None:
        self.live.civo.refusals.pop(call, None)

    def _flap(self) -> None:
        """Have everything of a kind in a namespace unready for a while."""
        kind = self._chance.choice([NETWORK, FIREWALL, CLUSTER, NODE_POOL, RELEASE])
        unready = (self.live.provider_helm if kind == RELEASE else self.live.provider_civo).unready
        key = (kind, self._chance.choice(self.users).namespace)
        unready.add(key)
        self._trouble("flaps of a namespace", lambda: unready.discard(key))

    def _kill(self) -> None:
        """End Crossplane or the function without a warning, and start it again later."""
        crossplane = self.live.crossplane
        if self._chance.random() < 0.5:
            if crossplane.function.running:
                crossplane.kill_function()
                self._trouble("function killed", crossplane.start_function)
        elif crossplane.core.running:
            crossplane.kill_core()
            self._trouble("Crossplane killed", crossplane.start_core)

    def _trouble(self, name: str, heal: Callable[[], None]) -> None:
        self.troubles[name] += 1
        self._heals.append((monotonic() + self._chance.uniform(1, _HEALED), heal))

    def _heal(self, now: float) -> None:
        for due, heal in self._heals:
            if due <= now:
                heal()
        self._heals = [(due, heal) for due, heal in self._heals if due > now]


def _key(manifest: Object) -> tuple[str, str]:
    return manifest["metadata"]["namespace"], manifest["metadata"]["name"]
