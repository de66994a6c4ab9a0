import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.experimental import mesh_utils, multihost_utils
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

from export import export

DIM, HIDDEN = 1024, 8192


def init(key):
    k_up, k_down = jax.random.split(key)
    return {
        "up": jax.random.normal(k_up, (DIM, HIDDEN)) / DIM**0.5,
        "down": jax.random.normal(k_down, (HIDDEN, DIM)) / HIDDEN**0.5,
    }


def loss_fn(params, x):
    return jnp.mean((jax.nn.relu(x @ params["up"]) @ params["down"] - x) ** 2)


def main(steps=1000, batch=4096):
    jax.distributed.initialize()
    mesh = Mesh(mesh_utils.create_device_mesh((jax.device_count(),)), ("fsdp",))
    spread = {"up": NamedSharding(mesh, P("fsdp", None)), "down": NamedSharding(mesh, P("fsdp", None))}
    rows = NamedSharding(mesh, P("fsdp"))
    tx = optax.adam(1e-4)
    params = jax.jit(init, out_shardings=spread)(jax.random.key(0))
    opt_state = jax.jit(tx.init)(params)

    @jax.jit
    def step(params, opt_state, x):
        loss, grads = jax.value_and_grad(loss_fn)(params, x)
        updates, opt_state = tx.update(grads, opt_state)
        params = jax.lax.with_sharding_constraint(optax.apply_updates(params, updates), spread)
        return params, opt_state, loss

    rng = np.random.default_rng(jax.process_index())
    for i in range(steps):
        local = rng.normal(size=(batch // jax.process_count(), DIM)).astype(np.float32)
        params, opt_state, loss = step(params, opt_state, jax.make_array_from_process_local_data(rows, local))
        if i % 100 == 0 and jax.process_index() == 0:
            print(i, float(loss))
    export(params, "weights.npz")
    multihost_utils.sync_global_devices("exported")


if __name__ == "__main__":
    main()
