import functools

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

tx = optax.adam(1e-2)


def predict(params, x):
    return jnp.tanh(x @ params["w"]) @ params["v"]


@functools.partial(jax.jit, donate_argnums=(0, 1))
def step(params, opt_state, x, y):
    grads = jax.grad(lambda p: jnp.mean((predict(p, x) - y) ** 2))(params)
    updates, opt_state = tx.update(grads, opt_state)
    return optax.apply_updates(params, updates), opt_state


@jax.jit
def validate(params, x, y):
    return jnp.mean((predict(params, x) - y) ** 2)


def main(steps=300, every=10):
    mesh = Mesh(np.asarray(jax.devices()), ("data",))
    rows, whole = NamedSharding(mesh, P("data")), NamedSharding(mesh, P())
    k1, k2 = jax.random.split(jax.random.key(0))
    params = {"w": jax.random.normal(k1, (4, 64)), "v": jax.random.normal(k2, (64,)) / 8}
    params = jax.device_put(params, whole)
    opt_state = tx.init(params)
    rng = np.random.default_rng(0)
    held = rng.normal(size=(256, 4)).astype(np.float32)
    held_x, held_y = jax.device_put((held, held.sum(1)), rows)
    best, lowest = None, float("inf")
    for i in range(steps):
        x = rng.normal(size=(64, 4)).astype(np.float32)
        params, opt_state = step(params, opt_state, *jax.device_put((x, x.sum(1)), rows))
        if i % every == 0:
            score = float(validate(params, held_x, held_y))
            if score < lowest:
                best, lowest = params, score
    print("best", lowest)
    np.savez("best.npz", **{k: np.asarray(v) for k, v in best.items()})


if __name__ == "__main__":
    main()
