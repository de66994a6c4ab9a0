from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

from callbacks import KeepBest, Trace


class Fit:
    def __init__(self, tx, callbacks):
        self.tx, self.callbacks = tx, callbacks
        self.mesh = Mesh(np.array(jax.devices()), ("data",))

    @partial(jax.jit, static_argnums=(0,), donate_argnums=(1,))
    def step(self, state, x, y):
        params, opt_state = state
        loss, grads = jax.value_and_grad(lambda p: jnp.mean((jnp.tanh(x @ p["w"]) @ p["v"] - y) ** 2))(params)
        updates, opt_state = self.tx.update(grads, opt_state, params)
        return (optax.apply_updates(params, updates), opt_state), loss

    def __call__(self, params, steps):
        state = jax.device_put((params, self.tx.init(params)), NamedSharding(self.mesh, P()))
        rng = np.random.default_rng(0)
        for _ in range(steps):
            x = rng.normal(size=(32, 5)).astype(np.float32)
            x, y = jax.device_put((x, x.sum(-1)), NamedSharding(self.mesh, P("data")))
            state, loss = self.step(state, x, y)
            for callback in self.callbacks:
                callback(float(loss), state)
        return state


def main():
    k1, k2 = jax.random.split(jax.random.key(0))
    params = {"w": jax.random.normal(k1, (5, 16)), "v": jax.random.normal(k2, (16,))}
    best, trace = KeepBest(), Trace()
    Fit(optax.adam(1e-2), [best, trace])(params, 20)
    norm = optax.global_norm(best.state[0])
    print("best", best.loss, "last", trace.losses[-1], "norm", float(norm))


if __name__ == "__main__":
    main()
