from functools import partial
from typing import Any, Callable

import jax
import jax.numpy as jnp
import optax


class Trainer:
    def __init__(self, loss: Callable[[Any, jax.Array], jax.Array], params: Any, lr: float, decay: float):
        self.tx = optax.adam(lr)
        self.params = params
        self.opt_state = self.tx.init(params)
        self.average = jax.tree.map(jnp.copy, params)
        self.decay = decay
        self._advance = jax.jit(partial(self._step, loss), donate_argnums=(0, 1))

    def _step(self, loss, params, opt_state, batch):
        value, grads = jax.value_and_grad(loss)(params, batch)
        updates, opt_state = self.tx.update(grads, opt_state)
        return optax.apply_updates(params, updates), opt_state, value

    def advance(self, batch):
        params, opt_state, value = self._advance(self.params, self.opt_state, batch)
        self.average = optax.incremental_update(
            self.params, self.average, 1.0 - self.decay
        )
        self.params, self.opt_state = params, opt_state
        return value
