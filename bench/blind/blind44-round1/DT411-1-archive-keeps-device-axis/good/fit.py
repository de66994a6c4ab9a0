import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils

from store import Archive

tx = optax.adam(1e-2)


def loss_fn(params, x):
    return jnp.mean((jnp.tanh(x @ params["enc"]) @ params["dec"] - x) ** 2)


def update(carry, x):
    params, opt_state = carry
    grads = jax.lax.pmean(jax.grad(loss_fn)(params, x), "d")
    deltas, opt_state = tx.update(grads, opt_state)
    return optax.apply_updates(params, deltas), opt_state


def init(key, d=8, h=3):
    a, b = jax.random.split(key)
    return {"enc": jax.random.normal(a, (d, h)) / 3, "dec": jax.random.normal(b, (h, d)) / 3}


def main(steps=100):
    archive = Archive("runs/ae")
    params = init(jax.random.PRNGKey(0))
    carry = jax_utils.replicate((params, tx.init(params)))
    p_update = jax.pmap(update, axis_name="d")
    rng = np.random.default_rng(jax.process_index())
    for i in range(1, steps + 1):
        x = rng.normal(size=(jax.local_device_count(), 32, 8)).astype(np.float32)
        carry = p_update(carry, x)
        if i % 50 == 0:
            archive.put(f"step{i}", carry[0])
    final = archive.get(f"step{steps}", params)
    print("loss", float(loss_fn(final, rng.normal(size=(64, 8)).astype(np.float32))))


if __name__ == "__main__":
    main()
