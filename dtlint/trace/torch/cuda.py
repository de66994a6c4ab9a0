"""How does a script written for GPUs run on a machine without one? Every mention of cuda becomes the CPU.

Tensors are real and small; only the device is pretended. torch's own code goes on seeing the truth (no accelerator),
because its kernels would fail; user code and other libraries see as many GPUs as there are ranks.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import os
import sys
import time
from collections.abc import Callable, Container
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from dtlint.trace.frames import line_of
from dtlint.trace.torch.install import caller_is_torch

CPU = torch.device("cpu")


def is_cuda(value: Any) -> bool:
    return (isinstance(value, torch.device) and value.type == "cuda") or (
        isinstance(value, str) and (value == "cuda" or value.startswith("cuda:"))
    )


GPUS = [0]  # pretended on this host; 0: any number will do
NAMED: list[int] = []  # the GPU that this rank last spoke of


def check_ordinal(index: int | None) -> None:
    """A GPU that this host would not have."""
    if index is not None:
        NAMED[:] = [index]
    if index is not None and GPUS[0] and not 0 <= index < GPUS[0]:
        raise RuntimeError("CUDA error: invalid device ordinal")


def as_cpu(value: Any) -> Any:
    if is_cuda(value):
        check_ordinal(torch.device(value).index)
        return CPU
    return value


def copied(tensor: Any) -> Any:
    """A copy that would be in the memory of the host."""
    copy = tensor.clone()
    copy.dtlint_on_host = True
    return copy


def leaves_gpu(args: Any, kwargs: Any) -> bool:
    """`.to("cpu")` of what the script believes to be on a GPU."""
    device = kwargs.get("device", args[1] if len(args) > 1 else None)
    return device == "cpu" or (isinstance(device, torch.device) and device.type == "cpu")


class CudaIsCpu(TorchFunctionMode):
    """Rewrites the device arguments of every torch function of this thread."""

    def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if function is torch.Tensor.cuda:
            return args[0]
        if function is torch.Tensor.cpu:
            # a real transfer copies; aliasing would let freed storage show through
            return copied(args[0])
        if function is torch.Tensor.pin_memory or function is torch.Tensor.record_stream:
            return args[0]
        if function is torch.Tensor.to:
            if leaves_gpu(args, kwargs):
                moved = function(*args, **kwargs)
                return copied(moved) if moved is args[0] else moved
            if len(args) > 1 and type(args[1]) is int:
                args = (args[0], CPU, *args[2:])
        if kwargs:
            device = kwargs.get("device")
            if is_cuda(device) or type(device) is int:
                check_ordinal(device if type(device) is int else torch.device(device).index)
                kwargs = {**kwargs, "device": CPU}
            if kwargs.get("pin_memory"):
                kwargs = {**kwargs, "pin_memory": False}
        if any(is_cuda(value) for value in args[1:3]):
            args = (args[0], *(as_cpu(value) for value in args[1:]))
        elif args and isinstance(args[0], torch.device):
            args = (as_cpu(args[0]), *args[1:])
        return function(*args, **kwargs)


class Stream:
    """Work on it happens at once."""

    device = CPU
    cuda_stream = 0
    priority = 0

    def __init__(self, *_: Any, **__: Any) -> None: ...
    def synchronize(self) -> None: ...
    def wait_stream(self, _: Any) -> None: ...
    def wait_event(self, _: Any) -> None: ...
    def query(self) -> bool:
        return True

    def record_event(self, event: Any = None) -> Any:
        event = event or Event()
        event.record()
        return event

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *_: Any) -> None: ...


class Event:
    """A point in time."""

    def __init__(self, *_: Any, **__: Any) -> None:
        self.moment = time.perf_counter()

    def record(self, *_: Any) -> None:
        self.moment = time.perf_counter()

    def wait(self, *_: Any) -> None: ...
    def synchronize(self) -> None: ...
    def query(self) -> bool:
        return True

    def elapsed_time(self, other: Event) -> float:
        return (other.moment - self.moment) * 1000


class Properties:
    """A GPU as scripts like to print it."""

    name = "dtlint pretended GPU"
    major, minor = 8, 0
    total_memory = total_mem = 16 * 1024**3
    multi_processor_count = 64
    warp_size = 32
    max_threads_per_multi_processor = 2048
    gcnArchName = ""


def pretend(ranks: int, rank: int) -> None:
    """Give user code its GPUs."""
    GPUS[0] = max(ranks, 1)
    current = [rank]

    def user_only(name: str, value: Any, holder: Any = torch.cuda) -> None:
        """Torch's own callers keep the original answer."""
        original = getattr(holder, name, None)

        def answer(*args: Any, **keywords: Any) -> Any:
            if caller_is_torch() and callable(original):
                return original(*args, **keywords)
            return value(*args, **keywords) if callable(value) else value

        setattr(holder, name, answer)

    user_only("is_available", True)
    user_only("device_count", ranks)
    user_only("is_initialized", True)
    user_only("get_device_properties", lambda *_: Properties())
    user_only("get_device_name", lambda *_: Properties.name)
    user_only("get_device_capability", lambda *_: (8, 0))
    user_only("is_bf16_supported", True)
    user_only("get_arch_list", lambda: ["sm_80"])

    def set_device(device: Any) -> None:
        index = device if type(device) is int else getattr(torch.device(device), "index", None)
        check_ordinal(index)
        current[0] = index if index is not None else current[0]

    torch.cuda.set_device = set_device
    torch.cuda.current_device = lambda: current[0]
    nothing = (
        "synchronize init empty_cache ipc_collect reset_peak_memory_stats reset_max_memory_allocated "
        "reset_max_memory_cached set_per_process_memory_fraction manual_seed manual_seed_all seed seed_all "
        "set_rng_state set_rng_state_all _lazy_init reset_accumulated_memory_stats"
    )
    for name in nothing.split():
        setattr(torch.cuda, name, lambda *_, **__: None)
    for name in ["memory_allocated", "max_memory_allocated", "memory_reserved", "max_memory_reserved"]:
        setattr(torch.cuda, name, lambda *_, **__: 1024**2)
    torch.cuda.mem_get_info = lambda *_: (8 * 1024**3, 16 * 1024**3)
    torch.cuda.memory_stats = lambda *_: {}
    torch.cuda.memory_summary = lambda *_, **__: ""
    torch.cuda.utilization = lambda *_: 0
    torch.cuda.get_rng_state = lambda *_: torch.get_rng_state()
    torch.cuda.get_rng_state_all = lambda: [torch.get_rng_state()]
    torch.cuda.Stream, torch.cuda.Event = Stream, Event
    torch.cuda.current_stream = lambda *_, **__: Stream()
    torch.cuda.default_stream = lambda *_, **__: Stream()
    torch.cuda.stream = lambda *_: contextlib.nullcontext()
    torch.cuda.set_stream = lambda *_: None
    torch.cuda.device = lambda *_: contextlib.nullcontext()
    torch.cuda.nccl.version = lambda: (2, 27, 3)
    torch.Generator = Generator
    _move_modules()
    _simplify_precision()
    if hasattr(torch, "accelerator"):
        user_only("is_available", True, torch.accelerator)
        user_only("device_count", ranks, torch.accelerator)
        user_only("current_accelerator", lambda *_, **__: torch.device("cuda"), torch.accelerator)
        user_only("current_device_index", rank, torch.accelerator)
        user_only("set_device_index", lambda *_: None, torch.accelerator)
        user_only("synchronize", lambda *_: None, torch.accelerator)


class AnyGenerator(type(torch._C.Generator)):  # type: ignore[misc]
    """Those that torch has made are generators too."""

    def __instancecheck__(cls, value: Any) -> bool:
        return isinstance(value, torch._C.Generator)


class Generator(torch._C.Generator, metaclass=AnyGenerator):
    """`torch.Generator(device="cuda")` draws on the CPU."""

    def __new__(cls, device: Any = None) -> Any:
        return super().__new__(cls, _placed(device) if device is not None else CPU)


def _placed(device: Any) -> Any:
    if type(device) is int:
        check_ordinal(device)
        return CPU
    return as_cpu(device)


def _move_modules() -> None:
    to = torch.nn.Module.to

    def module_to(self: Any, *args: Any, **keywords: Any) -> Any:
        args = tuple(_placed(value) for value in args)
        if "device" in keywords:
            keywords["device"] = _placed(keywords["device"])
        return to(self, *args, **keywords)

    torch.nn.Module.to = module_to
    torch.nn.Module.cuda = lambda self, *_, **__: self
    load = torch.load

    def torch_load(file: Any, map_location: Any = None, *args: Any, **keywords: Any) -> Any:
        known = map_location if isinstance(map_location, (str, torch.device)) and not is_cuda(map_location) else "cpu"
        return load(file, known, *args, **keywords)

    torch.load = torch_load
    set_default = torch.set_default_device
    torch.set_default_device = lambda device: set_default(as_cpu(device) if type(device) is not int else CPU)


def _simplify_precision() -> None:
    plain = torch.autocast

    class Autocast(plain):  # type: ignore[misc, valid-type]
        def __init__(self, device_type: str = "cuda", dtype: Any = None, enabled: bool = True, **keywords: Any) -> None:
            kind = "cpu" if is_cuda(device_type) else device_type
            dtype = torch.bfloat16 if kind == "cpu" and dtype is torch.float16 else dtype
            super().__init__(kind, dtype=dtype, enabled=enabled, **keywords)

    class CudaAutocast(Autocast):
        def __init__(self, enabled: bool = True, dtype: Any = torch.float16, cache_enabled: bool = True) -> None:
            super().__init__("cuda", dtype=dtype, enabled=enabled, cache_enabled=cache_enabled)

    torch.autocast = torch.amp.autocast = Autocast
    torch.cuda.amp.autocast = CudaAutocast
    scaler = torch.amp.GradScaler

    class Scaler(scaler):  # type: ignore[misc, valid-type]
        def __init__(self, *_: Any, **__: Any) -> None:
            super().__init__("cpu", enabled=False)

    torch.amp.GradScaler = torch.cuda.amp.GradScaler = Scaler


def simplify_wrappers(tolerant: Container[tuple[str, int]] = ()) -> None:
    """Arguments of DDP, FSDP, meshes and loaders that name GPUs or start processes.

    At the lines of `tolerant`, what torch would refuse in the options of a loader is dropped, and DDP takes parameters
    without gradients.
    """
    parallel = torch.nn.parallel.DistributedDataParallel

    def without_devices(given: Given) -> Given:
        more = {"find_unused_parameters": True} if line_of(sys._getframe(2)) in tolerant else {}
        return {**_without_devices(given), **more}

    _rewrite(parallel, without_devices)

    def without_workers(given: Given) -> Given:
        line = line_of(sys._getframe(2))
        return _without_workers(given, keep=not given.get("num_workers") and line not in tolerant)

    _rewrite(torch.utils.data.DataLoader, without_workers)
    with contextlib.suppress(ImportError):
        from torch.distributed.fsdp import FullyShardedDataParallel

        _rewrite(FullyShardedDataParallel, _on_cpu)
    torch.nn.SyncBatchNorm.convert_sync_batchnorm = classmethod(lambda cls, module, process_group=None: module)
    torch.compile = lambda model=None, *_, **__: model if model is not None else (lambda inner: inner)
    torch.nn.Module.compile = lambda self, *_, **__: None
    with contextlib.suppress(ImportError):
        from torch.distributed import device_mesh

        _mesh_on_cpu(device_mesh)
    with contextlib.suppress(ImportError, AttributeError):
        # the tiled attention of the CPU has no sharding strategy in DTensor
        torch.backends.cuda.enable_flash_sdp(False)
    os.environ.setdefault("TORCHDYNAMO_DISABLE", "1")
    _attention_in_parts()


def _attention_in_parts() -> None:
    """Attention over DTensors that are split by batch or heads, each part on its own: DTensor cannot on a CPU."""
    original = torch.nn.functional.scaled_dot_product_attention

    def attention(query: Any, key: Any, value: Any, *args: Any, **keywords: Any) -> Any:
        from torch.distributed.tensor import DTensor

        given = (query, key, value)
        if not all(isinstance(item, DTensor) for item in given) or len({item.placements for item in given}) > 1:
            return original(query, key, value, *args, **keywords)
        if not all(item.is_replicate() or item.is_shard(0) or item.is_shard(1) for item in query.placements):
            return original(query, key, value, *args, **keywords)
        result = original(*(item.to_local() for item in given), *args, **keywords)
        return DTensor.from_local(result, query.device_mesh, query.placements, run_check=False)

    torch.nn.functional.scaled_dot_product_attention = attention


Given = dict[str, Any]


def _without_devices(given: Given) -> Given:
    for device in given.get("device_ids") or ():
        _placed(device)
    return {**given, "device_ids": None, "output_device": None}


def _without_workers(given: Given, keep: bool) -> Given:
    given = {**given, "pin_memory": False}
    if keep:
        return given  # what torch refuses without workers it refuses here
    dropped = ("prefetch_factor", "multiprocessing_context", "persistent_workers", "timeout")
    return {**{name: value for name, value in given.items() if name not in dropped}, "num_workers": 0}


def _on_cpu(given: Given) -> Given:
    return {**given, "device_id": CPU} if given.get("device_id") is not None else given


def _rewrite(kind: Any, change: Callable[[Given], Given]) -> None:
    """Construct with other arguments than those that were given."""
    original = kind.__init__
    names = list(inspect.signature(original).parameters)[1:]

    @functools.wraps(original)
    def init(self: Any, *args: Any, **keywords: Any) -> None:
        original(self, **change({**dict(zip(names, args, strict=False)), **keywords}))

    kind.__init__ = init


def _mesh_on_cpu(device_mesh: Any) -> None:
    import torch.distributed as dist

    mesh_init = device_mesh.DeviceMesh.__init__

    def init(self: Any, device_type: str, *args: Any, **keywords: Any) -> None:
        mesh_init(self, "cpu" if is_cuda(device_type) else device_type, *args, **keywords)

    device_mesh.DeviceMesh.__init__ = init
    original = device_mesh.init_device_mesh

    def init_device_mesh(device_type: str, *args: Any, **keywords: Any) -> Any:
        return original("cpu" if is_cuda(device_type) else device_type, *args, **keywords)

    device_mesh.init_device_mesh = init_device_mesh
    dist.init_device_mesh = lambda *args, **keywords: init_device_mesh(*args, **keywords)
