from typing import Any

import jax
import jax.numpy as jnp
import optax
from flax import struct


class TrainState(struct.PyTreeNode):
    params: Any
    opt_state: Any
    step: jax.Array
    tx: optax.GradientTransformation = struct.field(pytree_node=False)

    @classmethod
    def create(cls, params, tx):
        return cls(params=params, opt_state=tx.init(params), step=jnp.zeros((), jnp.int32), tx=tx)

    def apply(self, grads):
        updates, opt_state = self.tx.update(grads, self.opt_state, self.params)
        return self.replace(params=optax.apply_updates(self.params, updates), opt_state=opt_state, step=self.step + 1)
