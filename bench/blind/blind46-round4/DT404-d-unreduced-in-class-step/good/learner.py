from __future__ import annotations

import functools
from typing import Any, Callable

import chex
import jax
import jax.numpy as jnp
import optax


@chex.dataclass
class TrainState:
    params: Any
    opt_state: Any
    step: jax.Array


class Learner:
    def __init__(self, apply: Callable, tx: optax.GradientTransformation, axis="devices"):
        self.apply, self.tx, self.axis = apply, tx, axis
        self.step = jax.pmap(self._step, axis_name=axis, donate_argnums=(0,))

    def init(self, params):
        return TrainState(params=params, opt_state=self.tx.init(params), step=jnp.zeros((), jnp.int32))

    def _loss(self, params, batch):
        logits = self.apply(params, batch["x"])
        loss = optax.softmax_cross_entropy_with_integer_labels(logits, batch["y"]).mean()
        return loss, {"loss": loss, "acc": jnp.mean(logits.argmax(-1) == batch["y"])}

    def _step(self, state, batch):
        mean = functools.partial(jax.lax.pmean, axis_name=self.axis)
        grads, metrics = jax.grad(self._loss, has_aux=True)(state.params, batch)
        updates, opt_state = self.tx.update(mean(grads), state.opt_state, state.params)
        params = optax.apply_updates(state.params, updates)
        return state.replace(params=params, opt_state=opt_state, step=state.step + 1), mean(metrics)
