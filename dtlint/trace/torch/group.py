"""The process group that every rank of a traced run uses, whatever backend its script asks for.

Each method describes the call, sends the rank's tensors to the coordinator and copies the answer into place. The old
and the new names of the methods (they changed with torch 2.13) are both there.
"""

from __future__ import annotations

import sys
from typing import Any

import torch
import torch.distributed as dist
from torch.futures import Future

from dtlint.trace.torch.recorder import Recorder

Tensors = list[torch.Tensor]
_pending: set[LazyWork] = set()  # C++ holds only half of a Python work: keep the other half alive
_HELD_HERE = 3  # references to a work that only this file knows: the set, the loop, the question


def unwaited() -> list[LazyWork]:
    """Calls of this process that nobody has waited for."""
    return [work for work in _pending if not work.done]


def note_dropped() -> None:
    """Handles that the program has no more: nobody will ever wait for these."""
    for work in _pending:
        if not work.done and sys.getrefcount(work) <= _HELD_HERE:
            work.dropped = True


def finished(tensors: Tensors) -> Any:
    """A work that is done: also what DDP's reducer in C++ can take."""
    future: Future[Tensors] = Future()
    future.set_result(tensors)
    return torch._C._distributed_c10d._create_work_from_future(future)


class LazyWork(dist.Work):
    """A call whose result is fetched when somebody waits for it."""

    def __init__(self, recorder: Recorder, number: int, targets: Tensors, *, buffered: bool = False) -> None:
        super().__init__()
        self.recorder, self.number, self.targets = recorder, number, targets
        self.done = self.buffered = buffered
        self.source = -1
        self.dropped = False
        note_dropped()
        _pending.add(self)

    def wait(self, timeout: Any = None) -> bool:
        if not self.done:
            self.done = True
            answer = self.recorder.wait(self.number)
            if self.recorder.metas and "source" in self.recorder.metas[0]:
                self.source = int(self.recorder.metas[0]["source"])
            fill(self.targets, answer)
        _pending.discard(self)
        return True

    synchronize = wait

    def is_completed(self) -> bool:
        # asking for the state of a call is a promise to come back: answer with a wait, so that polling ends
        return self.wait()

    def is_success(self) -> bool:
        return self.wait()

    def result(self) -> Tensors:
        self.wait()
        return self.targets

    def _source_rank(self) -> int:
        return self.source

    source_rank = _source_rank

    def get_future(self) -> Future[Tensors]:
        self.wait()
        future: Future[Tensors] = Future()
        future.set_result(self.targets)
        return future


def fill(targets: Tensors, values: Tensors) -> None:
    with torch.no_grad():
        for target, value in zip(targets, values, strict=False):
            if target.numel() != value.numel():
                raise RuntimeError(f"received {tuple(value.shape)} where {tuple(target.shape)} was expected")
            target.detach().copy_(value.reshape(target.shape).to(target.dtype))


def describe(tensors: Tensors) -> str:
    if not tensors:
        return ""
    first = f"{str(tensors[0].dtype).removeprefix('torch.')}{list(tensors[0].shape)}"
    return first if len(tensors) == 1 else f"{len(tensors)} x {first}"


def shape(tensors: Tensors) -> dict[str, Any]:
    return {
        "numels": [tensor.numel() for tensor in tensors],
        "dtypes": sorted({str(tensor.dtype) for tensor in tensors}),
    }


def reduction(options: Any) -> str:
    operation = getattr(options, "reduceOp", None)
    named = getattr(operation, "op", operation)
    return str(getattr(named, "name", None) or str(named).rpartition(".")[2] or "SUM")


def is_async(options: Any) -> bool:
    return bool(getattr(options, "asyncOp", False))


def split(tensor: torch.Tensor, sizes: list[int], count: int) -> Tensors:
    """The pieces of a flat buffer, one for each rank."""
    if sizes:
        return list(tensor.split([int(size) for size in sizes]))
    return list(tensor.reshape(count, -1).unbind(0)) if tensor.dim() == 0 else list(tensor.chunk(count))


class RecordingGroup(dist.ProcessGroup):
    """One communicator, as one of its members sees it."""

    def __init__(self, rank: int, size: int, name: str, members: list[int], recorder: Recorder) -> None:
        super().__init__(rank, size)
        self.own_rank, self.own_size = rank, size
        self.label, self.members, self.recorder = name, members, recorder
        self.description = "undefined"

    def getBackendName(self) -> str:
        return "dtlint"

    def name(self) -> str:
        return "dtlint"

    # C++ asks the backend below for the name of a group; there is none below

    def getGroupName(self) -> str:
        return self.label

    def setGroupName(self, name: str) -> None:
        self.label = str(name)

    _set_group_name = setGroupName
    group_name = property(getGroupName)

    def getGroupDesc(self) -> str:
        return self.description

    def setGroupDesc(self, text: str) -> None:
        self.description = str(text)

    _set_group_desc = setGroupDesc
    group_desc = property(getGroupDesc)

    def _call(
        self, operation: str, targets: Tensors, sent: Tensors, options: Any, detail: str = "", **signature: Any
    ) -> Any:
        if "root" in signature:
            detail = f"{detail}, root {signature['root']}" if detail else f"root {signature['root']}"
        if "reduce" in signature and signature["reduce"] != "SUM":
            detail = f"{detail}, {signature['reduce']}"
        number, answer = self.recorder.post(
            operation, self.label, self.members, signature, sent, asynchronous=is_async(options), detail=detail
        )
        if answer is None:
            return LazyWork(self.recorder, number, targets)
        fill(targets, answer)
        return finished(targets)

    # one tensor in, the same tensor out

    def allreduce(self, tensors: Tensors, opts: Any = None) -> Any:
        tensors = list(tensors)
        wanted = {"reduce": reduction(opts), **shape(tensors)}
        return self._call("all_reduce", tensors, tensors, opts, describe(tensors), **wanted)

    def allreduce_coalesced(self, tensors: Tensors, opts: Any = None) -> Any:
        return self.allreduce(tensors, opts)

    def broadcast(self, tensors: Tensors, opts: Any = None) -> Any:
        tensors, root = list(tensors), int(getattr(opts, "rootRank", 0))
        sent = tensors if self.own_rank == root else []
        return self._call("broadcast", tensors, sent, opts, describe(tensors), root=root, **shape(tensors))

    def reduce(self, tensors: Tensors, opts: Any = None) -> Any:
        tensors, root = list(tensors), int(getattr(opts, "rootRank", 0))
        wanted = {"root": root, "reduce": reduction(opts), **shape(tensors)}
        targets = tensors if self.own_rank == root else []
        return self._call("reduce", targets, tensors, opts, describe(tensors), **wanted)

    # gathering

    def allgather(self, output_lists: list[Tensors], inputs: Tensors, opts: Any = None) -> Any:
        targets = [tensor for outputs in output_lists for tensor in outputs]
        wanted = {"expects": [target.numel() for target in targets], **shape(list(inputs))}
        return self._call("all_gather", targets, list(inputs), opts, describe(list(inputs)), **wanted)

    def allgather_coalesced(self, output_lists: list[Tensors], inputs: Tensors, opts: Any = None) -> Any:
        targets = [outputs[index] for index in range(len(inputs)) for outputs in output_lists]
        return self._call("all_gather", targets, list(inputs), opts, describe(list(inputs)), **shape(list(inputs)))

    def all_gather_single_coalesced(self, outputs: Tensors, inputs: Tensors, opts: Any = None) -> Any:
        inputs = list(inputs)
        targets = [piece for output in outputs for piece in output.detach().reshape(self.own_size, -1).unbind(0)]
        return self._call("all_gather_single", targets, inputs, opts, describe(inputs), **shape(inputs))

    def all_gather_single(self, output: torch.Tensor, input: torch.Tensor, opts: Any = None) -> Any:
        return self.all_gather_single_coalesced([output], [input], opts)

    _allgather_base = all_gather_single
    allgather_into_tensor_coalesced = all_gather_single_coalesced

    def gather(self, output_lists: list[Tensors], inputs: Tensors, opts: Any = None) -> Any:
        inputs, root = list(inputs), int(getattr(opts, "rootRank", 0))
        targets = list(output_lists[0]) if output_lists and self.own_rank == root else []
        return self._call("gather", targets, inputs, opts, describe(inputs), root=root, **shape(inputs))

    # scattering

    def scatter(self, outputs: Tensors, input_lists: list[Tensors], opts: Any = None) -> Any:
        outputs, root = list(outputs), int(getattr(opts, "rootRank", 0))
        sent = list(input_lists[0]) if input_lists and self.own_rank == root else []
        return self._call("scatter", outputs, sent, opts, describe(outputs), root=root, **shape(outputs))

    def reduce_scatter(self, outputs: Tensors, input_lists: list[Tensors], opts: Any = None) -> Any:
        outputs = list(outputs)
        sent = [tensor for inputs in input_lists for tensor in inputs]
        wanted = {"reduce": reduction(opts), **shape(outputs)}
        return self._call("reduce_scatter", outputs, sent, opts, describe(outputs), **wanted)

    def reduce_scatter_single_coalesced(self, outputs: Tensors, inputs: Tensors, opts: Any = None) -> Any:
        outputs = list(outputs)
        sent = [piece for tensor in inputs for piece in tensor.detach().reshape(self.own_size, -1).unbind(0)]
        wanted = {"reduce": reduction(opts), **shape(outputs)}
        return self._call("reduce_scatter_single", outputs, sent, opts, describe(outputs), **wanted)

    def reduce_scatter_single(self, output: torch.Tensor, input: torch.Tensor, opts: Any = None) -> Any:
        return self.reduce_scatter_single_coalesced([output], [input], opts)

    _reduce_scatter_base = reduce_scatter_single
    reduce_scatter_tensor_coalesced = reduce_scatter_single_coalesced

    # everybody to everybody

    def alltoall(self, outputs: Tensors, inputs: Tensors, opts: Any = None) -> Any:
        inputs = list(inputs)
        return self._call("all_to_all", list(outputs), inputs, opts, describe(inputs), **shape(inputs[:1]))

    def all_to_all_single(
        self, output: torch.Tensor, input: torch.Tensor, output_sizes: Any, input_sizes: Any, opts: Any = None
    ) -> Any:
        targets = split(output.detach(), list(output_sizes), self.own_size)
        sent = split(input.detach(), list(input_sizes), self.own_size)
        dtypes = {"dtypes": [str(input.dtype)]}
        return self._call("all_to_all_single", targets, sent, opts, describe([input]), **dtypes)

    alltoall_base = all_to_all_single

    # no data

    def barrier(self, opts: Any = None, timeout: Any = None, **_: Any) -> Any:
        return self._call("barrier", [], [], opts)

    def monitored_barrier(self, timeout: Any = None, wait_all_ranks: bool = False) -> None:
        self._call("barrier", [], [], None, "monitored")

    # pairs

    def send(self, tensors: Tensors, peer: int, tag: int = 0) -> Any:
        tensors, target = list(tensors), self.members[int(peer)]
        number, _ = self._post_pair("send", tensors, target, tag, tensors)
        return LazyWork(self.recorder, number, [], buffered=self.recorder.buffered_sends)

    def recv(self, tensors: Tensors, peer: int, tag: int = 0) -> Any:
        tensors, source = list(tensors), int(peer)
        number, _ = self._post_pair("recv", tensors, self.members[source] if source >= 0 else -1, tag, [])
        return LazyWork(self.recorder, number, tensors)

    def recv_anysource(self, tensors: Tensors, tag: int = 0) -> Any:
        return self.recv(tensors, -1, tag)

    def _post_pair(self, operation: str, tensors: Tensors, peer: int, tag: int, sent: Tensors) -> tuple[int, Any]:
        signature = {"peer": peer, "tag": int(tag), **shape(tensors)}
        direction = "to" if operation == "send" else "from"
        detail = f"{describe(tensors)} {direction} rank {peer}" if peer >= 0 else f"{describe(tensors)} from any rank"
        return self.recorder.post(
            operation, self.label, self.members, signature, sent, asynchronous=True, detail=detail
        )

    # what the surroundings ask of a group

    def _start_coalescing(self, device: Any = None) -> None:
        return None

    def _end_coalescing(self, device: Any = None) -> Any:
        return finished([])

    def _get_backend(self, device: Any = None) -> RecordingGroup:
        return self

    def _get_backend_name(self) -> str:
        return "dtlint"

    supports_splitting = False
    supports_coalescing = False

    def _set_sequence_number_for_group(self) -> None:
        return None

    def _get_sequence_number_for_group(self) -> int:
        return self.recorder.number

    def set_timeout(self, timeout: Any = None) -> None:
        return None

    _set_default_timeout = set_timeout

    def shutdown(self) -> None:
        return None

    abort = shutdown

    def eager_connect_single_device(self, device: Any = None) -> None:
        return None

    def _wait_for_pending_works(self) -> None:
        return None
