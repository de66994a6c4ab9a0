"""Trainer with hooks registry; only process 0 gets the writing hooks; no collective inside them."""
import abc
import json
import pathlib

import jax
import jax.numpy as jnp
import numpy as np
import optax

HOOKS = {}


def register(name, main_only=False):
    def deco(cls):
        HOOKS[name] = (cls, main_only)
        return cls

    return deco


class Hook(abc.ABC):
    def before_train(self, trainer): ...

    @abc.abstractmethod
    def after_step(self, trainer, step, metrics): ...


@register("jsonl", main_only=True)
class JsonlHook(Hook):
    def before_train(self, trainer):
        trainer.workdir.mkdir(parents=True, exist_ok=True)
        self.file = (trainer.workdir / "metrics.jsonl").open("w")

    def after_step(self, trainer, step, metrics):
        if step % 5 == 0:
            self.file.write(json.dumps({"step": step, **{k: float(v) for k, v in metrics.items()}}) + "\n")
            self.file.flush()


@register("nan")
class NanHook(Hook):
    def after_step(self, trainer, step, metrics):
        if not np.isfinite(metrics["loss"]):
            raise FloatingPointError(f"step {step}")


@register("ckpt", main_only=True)
class NpzHook(Hook):
    def after_step(self, trainer, step, metrics):
        if step and step % 10 == 0:
            np.savez(trainer.workdir / f"{step}.npz", **jax.device_get(trainer.params))


class Trainer:
    def __init__(self, workdir, hooks):
        self.workdir = pathlib.Path(workdir)
        self.hooks = [cls() for cls, main_only in (HOOKS[h] for h in hooks) if not main_only or jax.process_index() == 0]
        key = jax.random.key(0)
        self.params = {"w": jax.random.normal(key, (4, 1))}
        self.tx = optax.sgd(0.1)
        self.opt = self.tx.init(self.params)

    def call(self, name, *args):
        for hook in self.hooks:
            getattr(hook, name)(self, *args)

    def fit(self, data):
        self.call("before_train")
        for step, (x, y) in enumerate(data):
            self.params, self.opt, metrics = self.update(self.params, self.opt, x, y)
            self.call("after_step", step, metrics)

    @property
    def update(self):
        if not hasattr(self, "_update"):

            @jax.jit
            def update(params, opt, x, y):
                loss, grads = jax.value_and_grad(lambda p: jnp.mean((x @ p["w"] - y) ** 2))(params)
                upd, opt = self.tx.update(grads, opt)
                return optax.apply_updates(params, upd), opt, {"loss": loss}

            self._update = update
        return self._update


def data(n):
    mesh = jax.sharding.Mesh(jax.devices(), ("d",))
    sh = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("d"))
    rng = np.random.default_rng(jax.process_index())
    for _ in range(n):
        x = rng.normal(size=(8 * jax.local_device_count(), 4)).astype(np.float32)
        yield tuple(jax.make_array_from_process_local_data(sh, a) for a in (x, x.sum(1, keepdims=True)))


if __name__ == "__main__":
    Trainer("/tmp/hooks_run", ["jsonl", "nan", "ckpt"]).fit(data(20))
