import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils
from jax import lax

tx = optax.adam(1e-3)


def loss_fn(params, x, y):
    return jnp.mean((jnp.tanh(x @ params["w"]) @ params["v"] - y) ** 2)


def step(params, opt_state, x, y):
    loss, grads = jax.value_and_grad(loss_fn)(params, x, y)
    loss, grads = lax.pmean((loss, grads), "d")
    fine = lax.pmin(jnp.isfinite(optax.global_norm(grads)).astype(jnp.int32), "d") == 1

    def apply(_):
        updates, fresh = tx.update(grads, opt_state)
        return optax.apply_updates(params, updates), fresh

    params, opt_state = lax.cond(fine, apply, lambda _: (params, opt_state), None)

    def body(state):
        spread, turn = state
        return lax.pmax(spread * 0.5, "d"), turn + 1

    spread, _ = lax.while_loop(lambda s: s[1] < 3, body, (loss, 0))
    return params, opt_state, loss, spread


def main(steps=100):
    k1, k2 = jax.random.split(jax.random.key(0))
    params = {"w": jax.random.normal(k1, (4, 16)), "v": jax.random.normal(k2, (16,)) / 4}
    opt_state = jax_utils.replicate(tx.init(params))
    params = jax_utils.replicate(params)
    p_step = jax.pmap(step, axis_name="d")
    rng = np.random.default_rng(0)
    n = jax.local_device_count()
    for _ in range(steps):
        x = rng.normal(size=(n, 16, 4)).astype(np.float32)
        params, opt_state, loss, spread = p_step(params, opt_state, x, x.sum(-1))
    print(float(loss[0]), float(spread[0]))


if __name__ == "__main__":
    main()
