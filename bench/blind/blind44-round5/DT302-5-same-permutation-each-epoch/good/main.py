import jax
import jax.numpy as jnp
import numpy as np
import optax

from perm.epochs import epochs

tx = optax.adam(1e-2)


@jax.jit
def update(params, opt_state, x, y):
    grads = jax.grad(lambda p: jnp.mean((x @ p["w"] + p["b"] - y) ** 2))(params)
    updates, opt_state = tx.update(grads, opt_state)
    return optax.apply_updates(params, updates), opt_state


def main():
    k_data, k_order = jax.random.split(jax.random.key(0))
    x = jax.random.normal(k_data, (500, 4))
    params = {"w": jnp.zeros(4), "b": jnp.zeros(())}
    opt_state = tx.init(params)
    for a, b in epochs(k_order, (x, x.sum(-1)), 50, 10):
        params, opt_state = update(params, opt_state, a, b)
    print(np.asarray(params["w"]))


if __name__ == "__main__":
    main()
