import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils
from flax.training.common_utils import shard

from pipeline import batches

GLOBAL_BATCH = 1024


def forward(params, x):
    return jnp.tanh(x @ params["a"]) @ params["b"]


def step(params, opt_state, x, y):
    loss, grads = jax.value_and_grad(lambda p: jnp.mean((forward(p, x) - y) ** 2))(params)
    grads, loss = jax.lax.pmean((grads, loss), "i")
    updates, opt_state = tx.update(grads, opt_state, params)
    return optax.apply_updates(params, updates), opt_state, loss


tx = optax.adamw(1e-3)


def main():
    jax.distributed.initialize()
    ka, kb = jax.random.split(jax.random.PRNGKey(0))
    params = {"a": jax.random.normal(ka, (8, 64)) / 3, "b": jax.random.normal(kb, (64,)) / 8}
    params, opt_state = jax_utils.replicate((params, tx.init(params)))
    p_step = jax.pmap(step, axis_name="i", donate_argnums=(0, 1))
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(65536, 8)).astype(np.float32)
    source = batches(rows, rows.sum(1), GLOBAL_BATCH, seed=1)
    per_device = GLOBAL_BATCH // jax.device_count()
    for index in range(1000):
        x, y = shard(next(source))
        params, opt_state, loss = p_step(params, opt_state, x, y)
        if index % 200 == 0 and jax.process_index() == 0:
            print(f"step {index} loss {loss[0]:.4f} ({per_device} rows a device)")


if __name__ == "__main__":
    main()
