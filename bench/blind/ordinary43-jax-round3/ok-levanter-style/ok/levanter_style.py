"""Trainer as a generator of step infos with hooks every n steps; keys derived from the trainer seed."""
import dataclasses
import typing as tp

import jax
import jax.numpy as jnp
import jax.random as jrandom
import optax

M = tp.TypeVar("M")


@dataclasses.dataclass(frozen=True)
class StepInfo(tp.Generic[M]):
    step: int
    model: M
    loss: float


@dataclasses.dataclass
class _Hook:
    fn: tp.Callable[[StepInfo], None]
    every: int


class TrainerHooks:
    def __init__(self):
        self.hooks: list[_Hook] = []

    def add_hook(self, fn=None, *, every=1):
        def decorator(fn):
            self.hooks.append(_Hook(fn, every))
            return fn

        return decorator if fn is None else decorator(fn)

    def run(self, info, force=False):
        for hook in self.hooks:
            if force or info.step % hook.every == 0:
                hook.fn(info)


class Trainer:
    def __init__(self, seed, loss_fn, optimizer):
        self.hooks = TrainerHooks()
        self.seed = seed
        self.loss_fn = loss_fn
        self.optimizer = optimizer
        self._step = jax.jit(self._train_step)

    def keys(self, *names):
        root = jrandom.PRNGKey(self.seed)
        return dict(zip(names, jrandom.split(root, len(names))))

    def _train_step(self, model, opt, batch, key):
        loss, grads = jax.value_and_grad(self.loss_fn)(model, batch, key)
        updates, opt = self.optimizer.update(grads, opt, model)
        return optax.apply_updates(model, updates), opt, loss

    def training_steps(self, model, batches, key) -> tp.Iterator[StepInfo]:
        opt = self.optimizer.init(model)
        for step, batch in enumerate(batches):
            key, this_key = jrandom.split(key)
            model, opt, loss = self._step(model, opt, batch, this_key)
            yield StepInfo(step, model, float(loss))

    def train(self, model, batches, key):
        info = None
        for info in self.training_steps(model, batches, key):
            self.hooks.run(info)
        self.hooks.run(info, force=True)
        return info


def loss_fn(w, x, key):
    keep = jrandom.bernoulli(key, 0.9, x.shape)
    return jnp.mean((jnp.where(keep, x / 0.9, 0) @ w - x.sum(1)) ** 2)


def batches(key, n):
    for k in jrandom.split(key, n):
        yield jrandom.normal(k, (16, 4))


def main():
    trainer = Trainer(0, loss_fn, optax.adam(1e-2))
    keys = trainer.keys("data", "model", "training")

    @trainer.hooks.add_hook(every=10)
    def report(info):
        if jax.process_index() == 0:
            print(info.step, info.loss)

    trainer.hooks.add_hook(lambda info: None, every=5)
    model = jrandom.normal(keys["model"], (4,))
    info = trainer.train(model, batches(keys["data"], 40), keys["training"])
    print(info.model)


if __name__ == "__main__":
    main()
