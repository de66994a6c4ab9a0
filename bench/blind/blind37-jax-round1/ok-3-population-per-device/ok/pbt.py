"""One agent per device, each with its own seed and learning rate; nothing is shared but the ranking."""
import jax
import jax.numpy as jnp
import numpy as np
import optax

N = jax.local_device_count()
tx = optax.inject_hyperparams(optax.adam)(learning_rate=1e-3)


def init_member(key, lr):
    k1, k2 = jax.random.split(key)
    params = {"w": jax.random.normal(k1, (4, 16)) * 0.3, "v": jax.random.normal(k2, (16,)) * 0.3}
    opt_state = tx.init(params)
    opt_state.hyperparams["learning_rate"] = lr
    return params, opt_state


def fit_member(params, opt_state, x, y):
    def one(carry, batch):
        params, opt_state = carry
        loss, grads = jax.value_and_grad(lambda p: jnp.mean((jnp.tanh(batch[0] @ p["w"]) @ p["v"] - batch[1]) ** 2))(params)
        updates, opt_state = tx.update(grads, opt_state)
        return (optax.apply_updates(params, updates), opt_state), loss

    (params, opt_state), losses = jax.lax.scan(one, (params, opt_state), (x, y))
    return params, opt_state, losses[-1]


def exploit(params, opt_state, fitness, key):
    ranks = np.argsort(fitness)
    source = np.arange(N)
    source[ranks[-(N // 4 or 1) :]] = ranks[0]
    params, opt_state = jax.tree.map(lambda leaf: leaf[source], (params, opt_state))
    factor = jax.random.choice(key, jnp.array([0.8, 1.25]), (N,))
    opt_state.hyperparams["learning_rate"] = opt_state.hyperparams["learning_rate"] * factor
    return params, opt_state


def main(generations=20):
    init_key, lr_key, key = jax.random.split(jax.random.key(12), 3)
    rates = 10.0 ** jax.random.uniform(lr_key, (N,), minval=-4, maxval=-2)
    params, opt_state = jax.pmap(init_member)(jax.random.split(init_key, N), rates)
    fit = jax.pmap(fit_member, donate_argnums=(0, 1))
    draw = np.random.default_rng(0)
    for generation in range(generations):
        x = draw.normal(size=(N, 50, 64, 4)).astype(np.float32)
        params, opt_state, losses = fit(params, opt_state, x, np.sin(x).sum(-1))
        key, sub = jax.random.split(key)
        params, opt_state = exploit(params, opt_state, np.asarray(losses), sub)
        print(generation, float(losses.min()))


if __name__ == "__main__":
    main()
