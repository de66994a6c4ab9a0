"""Deep ensemble: each device trains one member on bootstrap samples."""
import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax


def build(key):
    return eqx.nn.MLP(in_size=6, out_size="scalar", width_size=32, depth=2, key=key)


tx = optax.adam(1e-3)


def train_member(params, static, opt_state, x, y, key):
    def body(carry, key):
        params, opt_state = carry
        take = jax.random.randint(key, (64,), 0, len(x))

        def loss_fn(p):
            return jnp.mean((jax.vmap(eqx.combine(p, static))(x[take]) - y[take]) ** 2)

        loss, grads = jax.value_and_grad(loss_fn)(params)
        updates, opt_state = tx.update(grads, opt_state)
        return (optax.apply_updates(params, updates), opt_state), loss

    (params, opt_state), losses = jax.lax.scan(body, (params, opt_state), jax.random.split(key, 500))
    return params, losses[-1]


def main():
    members = jax.local_device_count()
    k_init, k_boot = jax.random.split(jax.random.key(0))
    nets = [build(k) for k in jax.random.split(k_init, members)]
    static = eqx.partition(nets[0], eqx.is_inexact_array)[1]
    stacked = jax.tree.map(lambda *leaves: jnp.stack(leaves), *[eqx.filter(n, eqx.is_inexact_array) for n in nets])
    opt_state = jax.vmap(tx.init)(stacked)
    rng = np.random.default_rng(0)
    x = rng.normal(size=(2000, 6)).astype(np.float32)
    y = np.sin(x).sum(axis=1)
    fit = jax.pmap(lambda p, s, k: train_member(p, static, s, x, y, k), axis_name="member")
    stacked, losses = fit(stacked, opt_state, jax.random.split(k_boot, members))
    print("losses", np.asarray(losses))
    query = rng.normal(size=(5, 6)).astype(np.float32)
    votes = jax.pmap(lambda p: jax.vmap(eqx.combine(p, static))(query))(stacked)
    print("mean", np.asarray(votes).mean(axis=0), "spread", np.asarray(votes).std(axis=0))


if __name__ == "__main__":
    main()
