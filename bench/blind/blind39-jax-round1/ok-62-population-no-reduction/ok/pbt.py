"""Population of small nets, one per device; every generation the worst copies the best."""
import functools

import jax
import jax.numpy as jnp
import numpy as np
import optax


def init_member(key):
    a, b = jax.random.split(key)
    return {"a": 0.3 * jax.random.normal(a, (8, 32)), "b": 0.3 * jax.random.normal(b, (32, 1))}


def predict(params, x):
    return (jnp.tanh(x @ params["a"]) @ params["b"])[..., 0]


def loss_fn(params, x, y):
    return jnp.mean((predict(params, x) - y) ** 2)


def make_optimizer():
    return optax.inject_hyperparams(optax.sgd)(learning_rate=0.05)


@functools.partial(jax.pmap, axis_name="member", in_axes=(0, 0, None, None))
def generation(params, opt_state, xs, ys):
    """All members see the same data; every member keeps its own weights."""
    tx = make_optimizer()

    def one(carry, batch):
        params, opt_state = carry
        loss, grads = jax.value_and_grad(loss_fn)(params, *batch)
        updates, opt_state = tx.update(grads, opt_state)
        return (optax.apply_updates(params, updates), opt_state), loss

    (params, opt_state), losses = jax.lax.scan(one, (params, opt_state), (xs, ys))
    return params, opt_state, losses[-1]


def exploit(tree, best, worst):
    return jax.tree.map(lambda leaf: leaf.at[worst].set(leaf[best]), tree)


def main(generations=10, steps=50, batch=64):
    members = jax.local_device_count()
    keys = jax.random.split(jax.random.key(0), members)
    params = jax.vmap(init_member)(keys)
    opt_state = jax.vmap(make_optimizer().init)(params)
    rates = jnp.logspace(-2, -0.5, members)
    opt_state.hyperparams["learning_rate"] = rates
    rng = np.random.default_rng(0)
    for g in range(generations):
        xs = rng.normal(size=(steps, batch, 8)).astype(np.float32)
        ys = np.cos(xs).sum(-1)
        params, opt_state, losses = generation(params, opt_state, xs, ys)
        ranking = np.argsort(np.asarray(losses))
        params = exploit(params, ranking[0], ranking[-1])
        print(g, float(losses[ranking[0]]))


if __name__ == "__main__":
    main()
