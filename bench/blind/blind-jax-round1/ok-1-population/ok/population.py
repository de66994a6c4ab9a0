"""Population based training with one member per device."""
import jax
import jax.numpy as jnp
import numpy as np
import optax


def init_member(key):
    k1, k2 = jax.random.split(key)
    return {"w": jax.random.normal(k1, (6, 24)) * 0.4, "v": jax.random.normal(k2, (24,)) * 0.2}


def loss_fn(params, x, y):
    return jnp.mean((jnp.tanh(x @ params["w"]) @ params["v"] - y) ** 2)


def build(tx_init, tx_update):
    def train(params, opt_state, lr, x, y):
        loss, grads = jax.value_and_grad(loss_fn)(params, x, y)
        updates, opt_state = tx_update(grads, opt_state)
        updates = jax.tree.map(lambda u: -lr * u, updates)
        return optax.apply_updates(params, updates), opt_state, loss

    return jax.pmap(tx_init), jax.pmap(train, in_axes=(0, 0, 0, None, None))


def exploit(params, lrs, losses, rng):
    order = np.argsort(losses)
    half = max(1, len(order) // 4)
    source = np.arange(len(order))
    source[order[-half:]] = order[:half]
    lrs = np.asarray(lrs)[source]
    lrs[order[-half:]] *= rng.choice([0.8, 1.25], half)
    return jax.tree.map(lambda p: jnp.asarray(np.asarray(p)[source]), params), lrs.astype(np.float32)


def main(rounds=3, inner=10):
    n = jax.local_device_count()
    tx = optax.scale_by_adam()
    init_opt, train = build(tx.init, tx.update)
    params = jax.pmap(init_member)(jax.random.split(jax.random.PRNGKey(0), n))
    rng = np.random.default_rng(0)
    lrs = rng.uniform(1e-4, 1e-2, n).astype(np.float32)
    for _ in range(rounds):
        opt_state = init_opt(params)
        for _ in range(inner):
            x = rng.normal(size=(32, 6)).astype(np.float32)
            params, opt_state, losses = train(params, opt_state, lrs, x, x.sum(-1))
        params, lrs = exploit(params, lrs, np.asarray(losses), rng)
    print("best", float(losses.min()), "lrs", lrs)


if __name__ == "__main__":
    main()
