"""Several hosts on one machine: a process for each, which believe that they are a cluster.

Every process has all devices, so a program over the global mesh is computed by each of them on its own. What hosts must
do together goes through the coordinator and is compared there: the programs they launch, in order, the functions of
`multihost_utils` (which really exchange their data), and the checkpoints they save.
"""

from __future__ import annotations

import contextlib
import functools
import os
import sys
import traceback
from collections.abc import Callable
from typing import Any

from dtlint.trace.channel import Channel, Closed
from dtlint.trace.frames import user_stack
from dtlint.trace.jax import checkpoints, feeding, packing, script

GROUP = "hosts"


class HostAgent:
    """Inside one host's process: posts calls and waits for the other hosts."""

    def __init__(self, channel: Channel, host: int, hosts: int, steps: int) -> None:
        self.channel, self.host, self.hosts, self.steps = channel, host, hosts, steps
        self.number = 0
        self.stopped = ""
        self.fed = feeding.Fed()

    def tell(self, record: dict[str, Any]) -> None:
        if self.host == 0 or record["type"] == "end":  # the other hosts see the same
            self.channel.send(record)

    def post(self, operation: str, value: Any = None, **signature: Any) -> list[Any]:
        """Make a call with all hosts: the values of every host, in their order."""
        if checkpoints.alone:
            return [value]
        if self.stopped:
            self._stop(self.stopped)
        metas, payload = packing.pack(value)
        stack = user_stack(sys._getframe(1))
        self.number += 1
        header = {
            "type": "call", "number": self.number, "operation": operation, "group": GROUP,
            "members": list(range(self.hosts)), "signature": signature, "tensors": metas,
            "detail": str(signature.get("root", "")), "place": stack[-1] if stack else None, "stack": stack,
        }  # fmt: skip
        try:
            self.channel.send(header, payload)
            answer, data = self.channel.receive()
        except Closed:
            self._stop("the coordinator is gone")
        if not answer["ok"]:
            self._stop(str(answer["reason"]))
        return packing.unpack(answer["tensors"], data)

    def _stop(self, reason: str) -> Any:
        from dtlint.trace.jax.programs import Stopped

        self.stopped = reason
        raise Stopped(reason)

    def launch(self, program: Any, stack: list[dict[str, object]]) -> None:
        """A program over the devices of all hosts has to be launched by all of them, in the same order."""
        from dtlint.trace.jax import pmaps

        everywhere = program.devices == packing.global_devices()
        if program.devices < 2 or not (everywhere or (pmaps.running() is not None and program.mapped)):
            return
        if self.steps and program.collectives and program.launches > self.steps:
            raise script.StepsDone
        self.post(f"run {program.name}", reduce=program.fingerprint)

    def part(self, program: Any, parted: Any, player: Any) -> None:
        place = parted.place
        text = f"devices {parted.waiting} wait in {parted.operation} for devices {parted.absent}, which {parted.how}"
        self.tell({"type": "fact", "fact": {"kind": "devices-part", "text": text, "place": place}})
        raise RuntimeError(text)

    def drift(self, program: Any, text: str, place: dict[str, object]) -> None:
        self.tell({"type": "fact", "fact": {"kind": "replicas-drift", "text": text, "place": place, **program.where}})


def install(agent: HostAgent, local: int) -> None:
    """Let JAX and its helpers speak of `agent.hosts` hosts with `local` devices each."""
    import jax
    from jax.experimental import multihost_utils as tools

    host, hosts = agent.host, agent.hosts
    packing.total = local * hosts

    def local_devices(process_index: int | None = None, backend: Any = None, host_id: int | None = None) -> list[Any]:
        asked = host if process_index is None else process_index
        return jax.devices(backend)[asked * local : (asked + 1) * local]

    jax.process_index = lambda backend=None: host
    jax.process_count = lambda backend=None: hosts
    jax.process_indices = lambda backend=None: list(range(hosts))
    jax.host_id, jax.host_count = jax.process_index, jax.process_count
    jax.local_devices, jax.local_device_count = local_devices, lambda backend=None: local
    with contextlib.suppress(ImportError, AttributeError):
        jax.distributed.initialize = lambda *_, **__: None
        jax.distributed.shutdown = lambda: None
        jax.distributed.is_initialized = lambda: True
    tools.sync_global_devices = lambda name: agent.post("sync_global_devices", root=name) and None
    tools.process_allgather = functools.partial(_allgather, agent)
    tools.broadcast_one_to_all = functools.partial(_broadcast, agent)
    tools.assert_equal = functools.partial(_assert_equal, agent)
    tools.reached_preemption_sync_point = lambda step: bool(agent.post("reached_preemption_sync_point") and False)
    tools.host_local_array_to_global_array = functools.partial(_to_global, agent)
    tools.global_array_to_host_local_array = lambda arrays, mesh, specs: arrays
    jax.make_array_from_process_local_data = functools.partial(_from_local, agent)
    checkpoints.listen(agent)


def _tree(function: Callable[..., Any], *trees: Any) -> Any:
    import jax

    return jax.tree.map(function, *trees)


def _is_global(leaf: Any) -> bool:
    import jax

    return isinstance(leaf, jax.Array) and len(leaf.sharding.device_set) == packing.global_devices() > 1


def _allgather(agent: HostAgent, tree: Any, tiled: bool = False) -> Any:
    import numpy as np

    trees = agent.post("process_allgather", tree)

    def join(own: Any, *leaves: Any) -> Any:
        if _is_global(own):
            return np.asarray(own)
        arrays = [np.asarray(leaf) for leaf in leaves]
        return np.concatenate(arrays) if tiled and arrays[0].ndim else np.stack(arrays)

    return _tree(join, tree, *trees)


def _broadcast(agent: HostAgent, tree: Any, is_source: bool | None = None) -> Any:
    source = agent.host == 0 if is_source is None else bool(is_source)
    answers = agent.post("broadcast_one_to_all", (source, tree))
    return next((value for chosen, value in answers if chosen), tree)


def _assert_equal(agent: HostAgent, tree: Any, fail_message: str = "") -> None:
    import jax
    import numpy as np

    trees = agent.post("assert_equal", tree)
    leaves = [jax.tree.leaves(item) for item in trees]
    if any(not np.array_equal(a, b) for other in leaves[1:] for a, b in zip(leaves[0], other, strict=True)):
        raise AssertionError(fail_message or "expected the same value on all hosts")


def _joined(agent: HostAgent, operation: str, local: Any, along: bool) -> Any:
    import numpy as np

    agent.fed.note(user_stack(sys._getframe(1)), local)
    pieces = agent.post(operation, local)
    return np.concatenate([np.asarray(piece) for piece in pieces]) if along else np.asarray(local)


def _from_local(agent: HostAgent, sharding: Any, local: Any, global_shape: Any = None) -> Any:
    """The parts of all hosts put together: every process needs the whole to compute the whole."""
    import jax
    import numpy as np

    local = np.asarray(local)
    spec = getattr(sharding, "spec", (None,))
    along = bool(local.ndim) and len(spec) > 0 and spec[0] is not None
    if global_shape is not None and local.ndim and tuple(global_shape)[:1] == local.shape[:1]:
        along = False
    return jax.device_put(_joined(agent, "make_array_from_process_local_data", local, along), sharding)


def _to_global(agent: HostAgent, arrays: Any, mesh: Any, specs: Any) -> Any:
    import jax
    from jax.sharding import NamedSharding, PartitionSpec

    leaves, form = jax.tree.flatten(arrays)
    flat = jax.tree.leaves(specs, is_leaf=lambda item: isinstance(item, PartitionSpec))
    flat = flat * len(leaves) if len(flat) == 1 else flat
    made = []
    for leaf, spec in zip(leaves, flat, strict=True):
        along = len(spec) > 0 and spec[0] is not None
        whole = _joined(agent, "host_local_array_to_global_array", leaf, along)
        made.append(jax.device_put(whole, NamedSharding(mesh, spec)))
    return jax.tree.unflatten(form, made)


def run(job: dict[str, Any], channel: Channel, host: int, hosts: int, local: int, log: str) -> None:
    """The whole life of one host's process. Never returns."""
    status = 1
    try:
        script.prepare(hosts * local, log, int(job.get("seed", 0)) * 1000 + host)
        from dtlint.trace.jax import draws, programs

        agent = HostAgent(channel, host, hosts, int(job.get("steps") or 0))
        tpu = (job.get("extra") or {}).get("backend") == "tpu" and host == 0
        watcher = programs.Watcher(agent.tell, agent.launch, agent.part, agent.drift, tpu)
        for text in programs.install(watcher):
            agent.tell({"type": "notice", "text": text})
        script.keep_flags(os.environ["XLA_FLAGS"])
        install(agent, local)
        drawn = draws.Drawn(host)
        watched = (drawn, drawn.writes, agent.fed) if (job.get("extra") or {}).get("see") else ()
        end = script.execute(job, host, lambda: agent.stopped, channel.send, watched)
        with contextlib.suppress(Closed):
            channel.send({"type": "end", **end})
        status = 0 if end["how"] in ("finished", "steps") else 1
    except BaseException as error:
        text = f"{type(error).__name__}: {error}"
        with contextlib.suppress(Closed):
            channel.send({"type": "notice", "text": f"the traced run itself failed ({text})"[:400]})
        traceback.print_exc()
    finally:
        os._exit(status)


def compute(calls: list[Any]) -> list[tuple[list[dict[str, Any]], bytes]]:
    """In the coordinator: every host gets what all of them gave."""
    metas = [{"parts": [call.payload[0] for call in calls], "sizes": [len(call.payload[1]) for call in calls]}]
    data = b"".join(bytes(call.payload[1]) for call in calls)
    return [(metas, data)] * len(calls)
