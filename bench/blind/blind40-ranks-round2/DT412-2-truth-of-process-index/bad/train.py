import functools

import jax

jax.distributed.initialize()

import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils
from flax import linen as nn

from ledger import Ledger

AXIS = "devices"


class Mlp(nn.Module):
    widths: tuple = (64, 64, 1)

    @nn.compact
    def __call__(self, x):
        for width in self.widths[:-1]:
            x = nn.relu(nn.Dense(width)(x))
        return nn.Dense(self.widths[-1])(x)[..., 0]


def batches(steps, per_device, dim):
    rng = np.random.default_rng((99, jax.process_index()))
    for _ in range(steps):
        x = rng.standard_normal((jax.local_device_count(), per_device, dim), dtype=np.float32)
        yield x, np.abs(x).max(axis=-1)


def make_step(net, tx):
    @functools.partial(jax.pmap, axis_name=AXIS, donate_argnums=(0, 1))
    def step(params, opt_state, x, y):
        loss, grads = jax.value_and_grad(lambda p: jnp.mean((net.apply(p, x) - y) ** 2))(params)
        loss, grads = jax.lax.pmean((loss, grads), AXIS)
        updates, opt_state = tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, loss

    return step


def main(steps=400, per_device=16, dim=6):
    net, tx = Mlp(), optax.adam(1e-3)
    params = net.init(jax.random.key(5), jnp.zeros((1, dim)))
    opt_state = jax_utils.replicate(tx.init(params))
    params = jax_utils.replicate(params)
    step_fn = make_step(net, tx)
    ledger = Ledger("history.json")
    for i, (x, y) in enumerate(batches(steps, per_device, dim)):
        params, opt_state, loss = step_fn(params, opt_state, x, y)
        if i % 100 == 99:
            ledger.add(i + 1, loss=loss[0])
            ledger.flush()


if __name__ == "__main__":
    main()
