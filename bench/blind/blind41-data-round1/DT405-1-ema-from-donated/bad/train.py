import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

tx = optax.adam(1e-3)


def loss_fn(params, x, y):
    return jnp.mean((jax.nn.silu(x @ params["w"]) @ params["v"] - y) ** 2)


def make_step():
    def step(params, opt_state, x, y):
        loss, grads = jax.value_and_grad(loss_fn)(params, x, y)
        updates, opt_state = tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, loss

    return jax.jit(step, donate_argnums=(0, 1))


def blend(ema, params, decay):
    return jax.tree.map(lambda e, p: decay * e + (1.0 - decay) * p, ema, params)


def main(steps=100, decay=0.99):
    mesh = Mesh(np.asarray(jax.devices()), ("dp",))
    rows, whole = NamedSharding(mesh, P("dp")), NamedSharding(mesh, P())
    k1, k2 = jax.random.split(jax.random.key(5))
    params = {"w": jax.random.normal(k1, (8, 64)), "v": jax.random.normal(k2, (64,)) / 8}
    params = jax.device_put(params, whole)
    opt_state = jax.device_put(tx.init(params), whole)
    ema = jax.tree.map(jnp.copy, params)
    step = make_step()
    rng = np.random.default_rng(0)
    for _ in range(steps):
        x = rng.normal(size=(256, 8)).astype(np.float32)
        x, y = jax.device_put((x, x[:, 0]), rows)
        new_params, opt_state, loss = step(params, opt_state, x, y)
        ema = blend(ema, params, decay)
        params = new_params
    print(float(loss), float(loss_fn(ema, x, y)))


if __name__ == "__main__":
    main()
