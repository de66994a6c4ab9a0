"""Functional framework: train() takes callables; callbacks are closures with nonlocal state; partials."""
import functools
import os
import time
from typing import Callable, Dict, List

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

Event = str
Callback = Callable[[Dict], None]


def rank_zero(fn):
    @functools.wraps(fn)
    def call(*args, **kw):
        return fn(*args, **kw) if dist.get_rank() == 0 else None

    return call


def printer(every: int) -> Callback:
    seen = 0

    @rank_zero
    def on_step(state):
        nonlocal seen
        seen += 1
        if seen % every == 0:
            print(f"step {seen} loss {state['loss']:.4f} (rank 0)")

    return on_step


def patience(limit: int) -> Callback:
    best, bad = float("inf"), 0

    def on_epoch(state):
        nonlocal best, bad
        if state["val"] < best - 1e-4:
            best, bad = state["val"], 0
        else:
            bad += 1
        state["stop"] = bad >= limit

    return on_epoch


def saver(path: str) -> Callback:
    best = float("inf")

    @rank_zero
    def on_epoch(state):
        nonlocal best
        if state["val"] < best:
            best = state["val"]
            if dist.get_rank() == 0:
                torch.save(state["model"].module.state_dict(), path)
            dist.barrier()

    return on_epoch


def stopwatch() -> Callback:
    begin = time.monotonic()
    return rank_zero(lambda state: print("elapsed", round(time.monotonic() - begin, 1)))


def emit(callbacks: Dict[Event, List[Callback]], event: Event, state: Dict):
    for callback in callbacks.get(event, ()):
        callback(state)


def step(model, optimizer, loss_fn, batch):
    x, y = batch
    loss = loss_fn(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


@torch.no_grad()
def evaluate(model, loss_fn, loader):
    model.eval()
    total = sum(loss_fn(model.module(x), y) * len(x) for x, y in loader)
    count = torch.tensor(float(sum(len(x) for x, _ in loader)))
    packed = torch.stack([total, count])
    dist.all_reduce(packed)
    model.train()
    return (packed[0] / packed[1]).item()


def fit(model, train, val, sampler, step_fn, eval_fn, callbacks, epochs):
    state = {"model": model, "stop": False}
    for state["epoch"] in range(epochs):
        sampler.set_epoch(state["epoch"])
        for batch in train:
            state["loss"] = step_fn(batch=batch)
            emit(callbacks, "step", state)
        state["val"] = eval_fn(loader=val)
        emit(callbacks, "epoch", state)
        if state["stop"]:
            break
    return state


def main():
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    x = torch.randn(3000, 7)
    y = x.sin().sum(1, keepdim=True)
    train, val = TensorDataset(x[:2400], y[:2400]), TensorDataset(x[2400:], y[2400:])
    sampler = DistributedSampler(train, drop_last=True)
    model = DDP(nn.Sequential(nn.Linear(7, 64), nn.SiLU(), nn.Linear(64, 1)))
    optimizer = torch.optim.Adam(model.parameters(), 1e-3)
    fit(
        model,
        DataLoader(train, 32, sampler=sampler, drop_last=True),
        DataLoader(val, 32, sampler=DistributedSampler(val, shuffle=False)),
        sampler,
        functools.partial(step, model, optimizer, nn.functional.mse_loss),
        functools.partial(evaluate, model, nn.functional.mse_loss),
        {"step": [printer(50)], "epoch": [saver("best.pt"), patience(3), stopwatch()]},
        epochs=20,
    )
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
