"""What did this rank see: which samples, which random numbers, which files? Told at its end, compared by dtlint.

Samples are named by their contents: after the script has ended each of them is read once more, always with the same
random numbers, so that augmentation does not make two readings of one sample look different.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib
import inspect
import itertools
import os
import random
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch.utils.data import DataLoader, dataloader
from torch.utils.data._utils import worker

from dtlint.trace.frames import is_user_file, user_stack
from dtlint.trace.writes import Writes

DRAWS = (
    "rand", "randn", "randint", "randperm", "rand_like", "randn_like", "randint_like", "bernoulli", "multinomial",
    "normal",
)  # fmt: skip
DRAWS_IN_PLACE = ("normal_", "uniform_", "bernoulli_", "random_", "exponential_")
DRAWS_KEPT = 16  # at each line
PLACES_KEPT = 200
EPOCHS_KEPT = 2
INDICES_KEPT = 4096
SAMPLES_READ = 200
WORKERS_READ = 4
READING_LIMIT = 3.0  # seconds, for all loaders


def digest(value: Any) -> str:
    """A name for the contents of a sample or of drawn numbers."""
    state = hashlib.blake2b(digest_size=8)
    _feed(state, value, 0)
    return state.hexdigest()


def _feed(state: Any, value: Any, depth: int) -> None:
    if isinstance(value, torch.Tensor):
        plain = value.detach().contiguous()
        state.update(str((plain.dtype, tuple(plain.shape))).encode())
        state.update(plain.flatten().view(torch.uint8).numpy().tobytes() if plain.numel() else b"")
    elif hasattr(value, "tobytes"):
        state.update(value.tobytes())
    elif isinstance(value, dict) and depth < 4:
        for key in value:
            state.update(str(key).encode())
            _feed(state, value[key], depth + 1)
    elif isinstance(value, (list, tuple)) and depth < 4:
        for item in value:
            _feed(state, item, depth + 1)
    else:
        state.update(repr(value).encode("utf-8", "replace"))


class Loader:
    """One DataLoader of the script: where it was made and what was drawn from it."""

    def __init__(self, loader: Any, workers: int, stack: list[dict[str, object]]) -> None:
        self.loader, self.workers, self.stack = loader, workers, stack
        self.epochs: list[dict[str, Any]] = []
        self.read: list[dict[str, object]] = []
        self.by_worker: list[list[str]] = []

    def begin(self, frame: Any) -> dict[str, Any] | None:
        if len(self.epochs) >= EPOCHS_KEPT:
            return None
        self.read = self.read or user_stack(frame)
        trains = torch.is_grad_enabled()
        epoch: dict[str, Any] = {"indices": [], "samples": [], "batches": 0, "whole": False, "trains": trains}
        self.epochs.append(epoch)
        return epoch

    def end(self, epoch: dict[str, Any], cut: bool) -> None:
        epoch["whole"], epoch["cut"] = not cut, cut
        if self.workers > 1 and not epoch["indices"] and not self.by_worker:
            # now, because a stream may ask for its rank, and later there may be no process group any more
            self.by_worker = _read_as_workers(self.loader.dataset, self.workers, time.monotonic() + READING_LIMIT)

    def fact(self, deadline: float) -> dict[str, Any]:
        for epoch in self.epochs[:1]:
            if epoch["indices"]:
                epoch["samples"] = _read_again(self.loader.dataset, epoch["indices"], deadline)
            elif self.by_worker:
                epoch["samples"] = [name for names in self.by_worker for name in names]
        return {
            "made": self.stack[-6:],
            "read": self.read[-1:],
            "workers": self.workers,
            "by_worker": self.by_worker,
            "data": _definition(type(self.loader.dataset)),
            "epochs": [{**epoch, "indices": epoch["indices"][:INDICES_KEPT]} for epoch in self.epochs],
        }


def _definition(kind: type) -> dict[str, Any] | None:
    """The lines of the script's own data set class."""
    with contextlib.suppress(OSError, TypeError):
        path = inspect.getsourcefile(kind) or ""
        if is_user_file(path):
            lines, first = inspect.getsourcelines(kind)
            return {"path": path, "first": first, "last": first + len(lines) - 1}
    return None


def _read_again(data: Any, indices: list[Any], deadline: float) -> list[str]:
    """Names of the same few of these samples on every rank that drew them."""

    def place(index: Any) -> tuple[int, str]:
        return (index * 2654435761 % 4294967296 if isinstance(index, int) else 0, str(index))

    names = []
    for index in sorted({*indices}, key=place)[:SAMPLES_READ]:
        if time.monotonic() > deadline:
            break
        torch.manual_seed(0)
        random.seed(0)
        with contextlib.suppress(ImportError):
            import numpy

            numpy.random.seed(0)
        try:
            names.append(digest(data[index]))
        except BaseException:  # also what stops a rank that is waited for
            return []
    return names


def _read_as_workers(data: Any, workers: int, deadline: float) -> list[list[str]]:
    """What each worker process of a loader would read from a stream; in the run itself there are none."""
    read = []
    for number in range(min(workers, WORKERS_READ)):
        names: list[str] = []
        worker._worker_info = worker.WorkerInfo(id=number, num_workers=workers, seed=number, dataset=data)
        try:
            for sample in itertools.islice(iter(data), SAMPLES_READ):
                names.append(digest(sample))
                if time.monotonic() > deadline:
                    return []
        except BaseException:  # also what stops a rank that is waited for
            return []
        finally:
            worker._worker_info = None
        read.append(names)
    return read


class Seen:
    """Everything this rank saw."""

    def __init__(self, rank: int) -> None:
        self.rank = rank
        self.loaders: list[Loader] = []
        self.draws: dict[tuple[str, int], dict[str, Any]] = {}
        self.seeds: dict[tuple[str, int], str] = {}
        self.writes = Writes()
        self.at_end = False
        self.model_parallel = False

    def install(self) -> None:
        self._loaders()
        self._draws()
        self._seeds()
        self._saves()
        self._model_parallel()
        self.writes.install()

    def _loaders(self) -> None:
        made: dict[int, Loader] = {}
        original = DataLoader.__init__
        asked = _workers_asked(original)

        @functools.wraps(original)
        def init(loader: Any, *args: Any, **keywords: Any) -> None:
            workers = asked(loader, args, keywords)
            original(loader, *args, **keywords)
            if id(loader) not in made:
                made[id(loader)] = Loader(loader, workers, user_stack(sys._getframe(1)))
                self.loaders.append(made[id(loader)])

        iterating: Any = dataloader._SingleProcessDataLoaderIter
        start, following = iterating.__init__, iterating._next_data

        def begin(iterator: Any, loader: Any) -> None:
            start(iterator, loader)
            known = made.get(id(loader))
            iterator.dtlint_loader = known
            iterator.dtlint_epoch = None if known is None or self.at_end else known.begin(sys._getframe(1))
            if iterator.dtlint_epoch is not None:
                _listen(iterator, iterator.dtlint_epoch)

        def next_data(iterator: Any) -> Any:
            epoch = getattr(iterator, "dtlint_epoch", None)
            try:
                data = following(iterator)
            except StopIteration:
                if epoch is not None:
                    iterator.dtlint_loader.end(epoch, getattr(iterator, "dtlint_cut", False))
                raise
            if epoch is not None:
                epoch["batches"] += 1
            return data

        DataLoader.__init__ = init
        iterating.__init__, iterating._next_data = begin, next_data

    def _draws(self) -> None:
        holders = [(torch, name) for name in DRAWS] + [(torch.Tensor, name) for name in DRAWS_IN_PLACE]
        for holder, name in holders:
            setattr(holder, name, self._listened(getattr(holder, name), name))

    def _listened(self, original: Callable[..., Any], name: str) -> Callable[..., Any]:
        @functools.wraps(original)
        def draw(*args: Any, **keywords: Any) -> Any:
            numbers = original(*args, **keywords)
            frame = sys._getframe(1)
            if is_user_file(frame.f_code.co_filename) and not self.at_end and len(self.draws) < PLACES_KEPT:
                place = (os.path.realpath(frame.f_code.co_filename), frame.f_lineno)
                own = keywords.get("generator") is not None
                known = self.draws.setdefault(place, {"name": f"torch.{name}", "numbers": [], "generator": own})
                if len(known["numbers"]) < DRAWS_KEPT and isinstance(numbers, torch.Tensor):
                    with contextlib.suppress(Exception):
                        known["numbers"].append(digest(numbers))
            return numbers

        return draw

    def _seeds(self) -> None:
        holders: list[tuple[Any, str]] = [(torch, "manual_seed"), (torch.cuda, "manual_seed"), (random, "seed")]
        holders.append((torch.cuda, "manual_seed_all"))
        with contextlib.suppress(ImportError):
            import numpy

            holders.append((numpy.random, "seed"))
        for holder, name in holders:
            setattr(holder, name, self._seeding(getattr(holder, name)))

    def _seeding(self, original: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(original)
        def seed(*args: Any, **keywords: Any) -> Any:
            frame = sys._getframe(1)
            if is_user_file(frame.f_code.co_filename) and not self.at_end:
                value = repr((*args, *keywords.values()))[:80]
                self.seeds.setdefault((os.path.realpath(frame.f_code.co_filename), frame.f_lineno), value)
            return original(*args, **keywords)

        return seed

    def _saves(self) -> None:
        """The archive of `torch.save` is written below Python."""
        original = torch.save

        @functools.wraps(original)
        def save(value: Any, file: Any, *args: Any, **keywords: Any) -> Any:
            self.writes.note(file, "torch.save", sys._getframe(1))
            return original(value, file, *args, **keywords)

        torch.save = save

    def _model_parallel(self) -> None:
        parallel: Any = importlib.import_module("torch.distributed.tensor.parallel")
        original = parallel.parallelize_module

        @functools.wraps(original)
        def parallelize_module(*args: Any, **keywords: Any) -> Any:
            self.model_parallel = True
            return original(*args, **keywords)

        parallel.parallelize_module = parallelize_module

    def facts(self) -> Iterator[dict[str, Any]]:
        """After the script has ended."""
        self.at_end = True
        deadline = time.monotonic() + READING_LIMIT
        loaders = [loader.fact(deadline) for loader in self.loaders if loader.epochs]
        parallel = self.model_parallel
        yield {"kind": "samples", "rank": self.rank, "loaders": loaders, "model_parallel": parallel}
        draws = [{"path": path, "line": line, **known} for (path, line), known in self.draws.items()]
        seeds = [{"path": path, "line": line, "value": value} for (path, line), value in self.seeds.items()]
        yield {"kind": "draws", "rank": self.rank, "draws": draws, "seeds": seeds}
        yield self.writes.fact(self.rank)


def _workers_asked(original: Callable[..., Any]) -> Callable[[Any, tuple[Any, ...], dict[str, Any]], int]:
    signature = inspect.signature(original)

    def asked(loader: Any, args: tuple[Any, ...], keywords: dict[str, Any]) -> int:
        with contextlib.suppress(TypeError, ValueError):
            return int(signature.bind(loader, *args, **keywords).arguments.get("num_workers") or 0)
        return 0

    return asked


def _listen(iterator: Any, epoch: dict[str, Any]) -> None:
    """Note the indices that are fetched, or name the samples of a stream as they pass."""
    fetcher = iterator._dataset_fetcher
    if hasattr(fetcher, "dataset_iter"):
        fetcher.dataset_iter = _named(fetcher.dataset_iter, epoch)
        return
    original = fetcher.fetch

    def fetch(wanted: Any) -> Any:
        if len(epoch["indices"]) < INDICES_KEPT:
            epoch["indices"] += [_plain(index) for index in (wanted if isinstance(wanted, list) else [wanted])]
        return original(wanted)

    fetcher.fetch = fetch


def _plain(index: Any) -> Any:
    return index.item() if hasattr(index, "item") else index


def _named(samples: Iterator[Any], epoch: dict[str, Any]) -> Iterator[Any]:
    for sample in samples:
        if len(epoch["samples"]) < INDICES_KEPT:
            with contextlib.suppress(Exception):
                epoch["samples"].append(digest(sample))
        yield sample
