import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import NamedSharding, PartitionSpec as P

from options import Options


def init(key, width):
    first, second = jax.random.split(key)
    return {"a": jax.random.normal(first, (20, width)) * 0.2, "b": jax.random.normal(second, (width, 1)) * 0.1}


def loss_fn(params, x, y, dtype):
    a, b = (params[name].astype(dtype) for name in ("a", "b"))
    out = jax.nn.mish(x.astype(dtype) @ a) @ b
    return jnp.mean((out[:, 0].astype(jnp.float32) - y) ** 2)


def main():
    jax.distributed.initialize()
    options = Options()
    mesh = jax.make_mesh((jax.device_count(),), ("data",))
    rows, everywhere = NamedSharding(mesh, P("data")), NamedSharding(mesh, P())
    params = jax.jit(init, static_argnums=1, out_shardings=everywhere)(jax.random.key(0), options.width)
    tx = optax.adamw(options.lr)
    opt_state = tx.init(params)

    @jax.jit
    def update(params, opt_state, x, y):
        loss, grads = jax.value_and_grad(loss_fn)(params, x, y, options.dtype)
        updates, opt_state = tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, loss

    rng = np.random.default_rng([0, jax.process_index()])
    per_host = options.batch // jax.process_count()
    for step in range(options.steps):
        x = rng.normal(size=(per_host, 20)).astype(np.float32)
        x, y = (jax.make_array_from_process_local_data(rows, part) for part in (x, np.cos(x).sum(-1)))
        params, opt_state, loss = update(params, opt_state, x, y)
        if step % 100 == 0:
            value = float(loss)
            if jax.process_index() == 0:
                print(step, value)


if __name__ == "__main__":
    main()
