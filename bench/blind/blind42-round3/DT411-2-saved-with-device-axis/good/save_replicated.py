"""pmap training with msgpack checkpoints of the parameters."""
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils, serialization

tx = optax.adam(1e-3)


def net(params, x):
    return jnp.tanh(x @ params["a"]) @ params["b"]


def step(params, opt_state, x, y):
    loss, grads = jax.value_and_grad(lambda p: jnp.mean((net(p, x) - y) ** 2))(params)
    grads = jax.lax.pmean(grads, "d")
    updates, opt_state = tx.update(grads, opt_state)
    return optax.apply_updates(params, updates), opt_state, jax.lax.pmean(loss, "d")


def write(path, params, number):
    path.mkdir(parents=True, exist_ok=True)
    (path / f"params_{number:05d}.msgpack").write_bytes(serialization.to_bytes(params))


def main(steps=300, out=Path("ckpt")):
    ka, kb = jax.random.split(jax.random.key(0))
    params = {"a": jax.random.normal(ka, (10, 64)) * 0.3, "b": jax.random.normal(kb, (64, 1)) * 0.1}
    opt_state = jax_utils.replicate(tx.init(params))
    params = jax_utils.replicate(params)
    p_step = jax.pmap(step, axis_name="d")
    n = jax.local_device_count()
    rng = np.random.default_rng(0)
    for i in range(1, steps + 1):
        x = rng.normal(size=(n, 32, 10)).astype(np.float32)
        params, opt_state, loss = p_step(params, opt_state, x, np.sin(x).sum(-1, keepdims=True))
        if i % 100 == 0:
            write(out, jax_utils.unreplicate(params), i)
            print(i, float(loss[0]))


if __name__ == "__main__":
    main()
