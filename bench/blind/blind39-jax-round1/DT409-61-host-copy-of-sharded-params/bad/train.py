"""Fully sharded training of a wide MLP over all hosts."""
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import NamedSharding, PartitionSpec as P

from export import gather_to_host, write_npz

DIM, HIDDEN = 1024, 16384


def init(key):
    k_in, k_out = jax.random.split(key)
    return {"in": jax.random.normal(k_in, (DIM, HIDDEN)) * DIM**-0.5, "out": jax.random.normal(k_out, (HIDDEN, DIM)) * HIDDEN**-0.5}


def loss_fn(params, x, y):
    return jnp.mean((jax.nn.gelu(x @ params["in"]) @ params["out"] - y) ** 2)


def main(steps=2000, global_batch=1024):
    jax.distributed.initialize()
    mesh = jax.make_mesh((jax.device_count(),), ("fsdp",))
    layout = {"in": NamedSharding(mesh, P(None, "fsdp")), "out": NamedSharding(mesh, P("fsdp", None))}
    batch_layout = NamedSharding(mesh, P("fsdp"))
    params = jax.jit(init, out_shardings=layout)(jax.random.key(0))
    tx = optax.adafactor(1e-3)
    opt_state = jax.jit(tx.init)(params)

    @jax.jit
    def update(params, opt_state, x, y):
        loss, grads = jax.value_and_grad(loss_fn)(params, x, y)
        updates, opt_state = tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, loss

    rng = np.random.default_rng([8, jax.process_index()])
    per_host = global_batch // jax.process_count()
    for step in range(1, steps + 1):
        x = rng.normal(size=(per_host, DIM)).astype(np.float32)
        x, y = (jax.make_array_from_process_local_data(batch_layout, part) for part in (x, np.roll(x, 1, -1)))
        params, opt_state, loss = update(params, opt_state, x, y)
        if step % 500 == 0:
            host = gather_to_host(params)
            if jax.process_index() == 0:
                write_npz(f"mlp_{step}.npz", host)
                print(step, float(loss))


if __name__ == "__main__":
    main()
