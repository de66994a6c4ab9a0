"""A stand-in for DeepSpeed, for machines without it: its engine over torch.distributed.

What waits for others is as with the library: parameters that rank 0 tells all when the engine is made, gradients at the
end of a window (from ZeRO-2 on in each backward pass), the pieces of parameters that a forward pass of ZeRO-3 needs,
and checkpoints, which are written by all ranks. Pipelines and mixtures of experts are not played.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
from collections.abc import Iterator
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, DistributedSampler

from deepspeed import comm, ops  # noqa: F401

STANDIN = True
__version__ = "0.19.0+standin"


def init_distributed(dist_backend: str | None = None, timeout: timedelta | None = None, **_: Any) -> None:
    if not dist.is_initialized():
        dist.init_process_group(dist_backend or "nccl")


def add_config_arguments(parser: argparse.ArgumentParser) -> argparse.ArgumentParser:
    group = parser.add_argument_group("DeepSpeed")
    group.add_argument("--deepspeed", action="store_true")
    group.add_argument("--deepspeed_config", type=str, default=None)
    return parser


class Settings:
    """`train_batch_size = micro batch * accumulation * ranks`; two of them say the third."""

    def __init__(self, given: Any, ranks: int) -> None:
        config = self.config = read_settings(given)
        whole, micro = config.get("train_batch_size"), config.get("train_micro_batch_size_per_gpu")
        window = config.get("gradient_accumulation_steps")
        numbers = [None if number == "auto" else number for number in (whole, micro, window)]
        whole, micro, window = numbers
        window = window or (max(whole // (micro * ranks), 1) if whole and micro else 1)
        micro = micro or (max(whole // (window * ranks), 1) if whole else 1)
        self.micro, self.window, self.whole = micro, window, whole or micro * window * ranks
        self.stage = int((config.get("zero_optimization") or {}).get("stage", 0))
        if self.whole != self.micro * self.window * ranks:
            raise AssertionError(
                "Check batch related parameters. train_batch_size is not equal to micro_batch_per_gpu * "
                f"gradient_acc_step * world_size {self.whole} != {self.micro} * {self.window} * {ranks}"
            )


def read_settings(given: Any) -> dict[str, Any]:
    """A file that is not here says nothing."""
    if isinstance(given, (str, os.PathLike)) and os.path.isfile(given):
        with open(given) as file:
            given = json.load(file)
    return given if isinstance(given, dict) else {}


OPTIMIZERS = {"adam": torch.optim.Adam, "adamw": torch.optim.AdamW, "sgd": torch.optim.SGD}
KNOWN = ("lr", "betas", "eps", "weight_decay", "momentum")


def make_optimizer(settings: Settings, parameters: Any) -> torch.optim.Optimizer | None:
    asked = settings.config.get("optimizer")
    if not asked:
        return None
    kind = OPTIMIZERS.get(str(asked.get("type", "adam")).lower(), torch.optim.AdamW)
    options = {name: value for name, value in (asked.get("params") or {}).items() if name in KNOWN and value != "auto"}
    return kind(parameters, **{"lr": 1e-3, **options})


def gather_pieces() -> None:
    """What each rank has of the parameters goes to all of them."""
    dist.all_gather_into_tensor(torch.zeros(dist.get_world_size()), torch.zeros(1))


class DeepSpeedEngine(torch.nn.Module):
    def __init__(self, model: torch.nn.Module, optimizer: Any, scheduler: Any, settings: Settings) -> None:
        super().__init__()
        self.module, self.optimizer, self.lr_scheduler, self.settings = model, optimizer, scheduler, settings
        self.config = settings.config
        self.global_rank, self.world_size = dist.get_rank(), dist.get_world_size()
        self.local_rank = int(os.environ.get("LOCAL_RANK", self.global_rank))
        self.device = torch.device("cuda", self.local_rank) if torch.cuda.is_available() else torch.device("cpu")
        self.micro_steps = self.global_steps = self.skipped_steps = 0
        self.reduces = True
        with torch.no_grad():
            for tensor in (*model.parameters(), *model.buffers()):
                dist.broadcast(tensor, src=0)

    def forward(self, *args: Any, **keywords: Any) -> Any:
        if self.settings.stage == 3:
            gather_pieces()
        return self.module(*args, **keywords)

    def backward(self, loss: torch.Tensor, retain_graph: bool = False, **_: Any) -> torch.Tensor:
        (loss / self.settings.window).backward(retain_graph=retain_graph)
        if self.reduces and (self.is_gradient_accumulation_boundary() or self.settings.stage >= 2):
            self.allreduce_gradients()
        return loss

    def allreduce_gradients(self, *_: Any) -> None:
        with torch.no_grad():
            wanted = [one for one in self.module.parameters() if one.requires_grad]
            for parameter in wanted:
                parameter.grad = torch.zeros_like(parameter) if parameter.grad is None else parameter.grad
            flat = torch.cat([one.grad.reshape(-1) for one in wanted]) if wanted else torch.zeros(1)
            dist.all_reduce(flat)
            for parameter, part in zip(wanted, flat.split([one.numel() for one in wanted]), strict=True):
                parameter.grad.copy_(part.view_as(parameter) / self.world_size)

    def is_gradient_accumulation_boundary(self) -> bool:
        return (self.micro_steps + 1) % self.settings.window == 0

    def step(self, *_: Any, **__: Any) -> None:
        if self.is_gradient_accumulation_boundary():
            limit = float(self.config.get("gradient_clipping") or 0)
            if limit:
                torch.nn.utils.clip_grad_norm_(self.module.parameters(), limit)
            if self.optimizer is not None:
                self.optimizer.step()
                self.optimizer.zero_grad()
            if self.lr_scheduler is not None:
                self.lr_scheduler.step()
            self.global_steps += 1
        self.micro_steps += 1

    @contextlib.contextmanager
    def no_sync(self) -> Iterator[None]:
        if self.settings.stage >= 2:
            raise AssertionError("no_sync context manager is incompatible with gradient partitioning logic of ZeRO")
        self.reduces = False
        try:
            yield
        finally:
            self.reduces = True

    def train_batch_size(self) -> int:
        return self.settings.whole

    def train_micro_batch_size_per_gpu(self) -> int:
        return self.settings.micro

    def gradient_accumulation_steps(self) -> int:
        return self.settings.window

    def zero_optimization_stage(self) -> int:
        return self.settings.stage

    def zero_grad(self, set_to_none: bool = True) -> None:
        self.module.zero_grad(set_to_none)

    def get_lr(self) -> list[float]:
        return [group["lr"] for group in self.optimizer.param_groups] if self.optimizer is not None else []

    def get_global_grad_norm(self) -> float:
        return 0.0

    def save_checkpoint(
        self, save_dir: str, tag: Any = None, client_state: Any = None, save_latest: bool = True, **_: Any
    ) -> bool:
        """By all ranks: each has a piece of the optimizer, and nobody goes on before the folder is there."""
        name = str(tag) if tag is not None else f"global_step{self.global_steps}"
        folder = os.path.join(save_dir, name)
        os.makedirs(folder, exist_ok=True)
        dist.barrier()
        if self.global_rank == 0:
            kept = {"module": self.module.state_dict(), "client": client_state or {}, "global_steps": self.global_steps}
            torch.save(kept, os.path.join(folder, "mp_rank_00_model_states.pt"))
        if self.settings.stage and self.optimizer is not None:
            file = f"zero_pp_rank_{self.global_rank}_mp_rank_00_optim_states.pt"
            torch.save(self.optimizer.state_dict(), os.path.join(folder, file))
        dist.barrier()
        if save_latest and self.global_rank == 0:
            with open(os.path.join(save_dir, "latest"), "w") as latest:
                latest.write(name)
        return True

    def load_checkpoint(self, load_dir: str, tag: Any = None, **_: Any) -> tuple[Any, Any]:
        latest = os.path.join(load_dir, "latest")
        if tag is None and os.path.isfile(latest):
            with open(latest) as file:
                tag = file.read().strip()
        path = os.path.join(load_dir, str(tag), "mp_rank_00_model_states.pt")
        if tag is None or not os.path.isfile(path):
            return None, None
        kept = torch.load(path, weights_only=False)
        self.module.load_state_dict(kept["module"])
        self.global_steps = kept["global_steps"]
        dist.barrier()
        return path, kept["client"]

    def save_16bit_model(self, save_dir: str, save_filename: str = "pytorch_model.bin", **_: Any) -> bool:
        if self.settings.stage == 3:
            gather_pieces()
        if self.global_rank == 0:
            os.makedirs(save_dir, exist_ok=True)
            torch.save(self.module.state_dict(), os.path.join(save_dir, save_filename))
        return True

    save_fp16_model = save_16bit_model

    def destroy(self) -> None: ...

    def __getattr__(self, name: str) -> Any:
        """What the engine has not, the model may have."""
        try:
            return super().__getattr__(name)
        except AttributeError:
            return getattr(super().__getattr__("module"), name)


class DeepSpeedDataLoader(DataLoader):
    def __init__(self, dataset: Any, batch_size: int, collate_fn: Any) -> None:
        self.data_sampler: Any = DistributedSampler(dataset)
        super().__init__(dataset, batch_size=batch_size, sampler=self.data_sampler, collate_fn=collate_fn)


def initialize(
    args: Any = None,
    model: torch.nn.Module | None = None,
    optimizer: Any = None,
    model_parameters: Any = None,
    training_data: Any = None,
    lr_scheduler: Any = None,
    distributed_port: int = 29500,
    mpu: Any = None,
    dist_init_required: bool | None = None,
    collate_fn: Any = None,
    config: Any = None,
    config_params: Any = None,
    **_: Any,
) -> tuple[DeepSpeedEngine, Any, Any, Any]:
    init_distributed()
    given = config if config is not None else config_params
    settings = Settings(given if given is not None else getattr(args, "deepspeed_config", None), dist.get_world_size())
    assert model is not None, "deepspeed.initialize requires a model"
    optimizer = optimizer(model.parameters()) if callable(optimizer) else optimizer
    made = optimizer or make_optimizer(settings, model_parameters or model.parameters())
    scheduler = lr_scheduler(made) if callable(lr_scheduler) else lr_scheduler
    loader = None
    if training_data is not None:
        loader = DeepSpeedDataLoader(training_data, settings.micro, collate_fn)
    engine = DeepSpeedEngine(model, made, scheduler, settings)
    return engine, made, loader, scheduler


class _Init(contextlib.ContextDecorator):
    def __init__(self, *_: Any, **__: Any) -> None: ...

    def __enter__(self) -> None: ...

    def __exit__(self, *_: object) -> None: ...


class GatheredParameters(_Init):
    """All ranks give their pieces; afterwards the changes of one rank are everybody's."""

    def __init__(self, params: Any, modifier_rank: int | None = None, enabled: bool = True, **_: Any) -> None:
        self.enabled, self.modifier = enabled, modifier_rank

    def __enter__(self) -> None:
        if self.enabled:
            gather_pieces()

    def __exit__(self, *_: object) -> None:
        if self.enabled and self.modifier is not None:
            dist.broadcast(torch.zeros(1), src=self.modifier)


zero = SimpleNamespace(Init=_Init, GatheredParameters=GatheredParameters)


def __getattr__(name: str) -> Any:
    raise AttributeError(f"the stand-in of deepspeed has no {name}")
