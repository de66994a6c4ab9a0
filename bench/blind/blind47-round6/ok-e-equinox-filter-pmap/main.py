import equinox as eqx
import jax
import jax.numpy as jnp
import optax


def loss(model, x, key):
    keys = jax.random.split(key, len(x))
    out = jax.vmap(model)(x)
    keep = jax.vmap(lambda k, row: jax.random.bernoulli(k, 0.9, row.shape))(keys, out)
    return jnp.mean((out * keep - x) ** 2)


def main():
    n = jax.local_device_count()
    k_model, key = jax.random.split(jax.random.key(0))
    model = eqx.nn.MLP(4, 4, 16, 1, key=k_model)
    tx = optax.adam(1e-3)
    opt = tx.init(eqx.filter(model, eqx.is_array))

    @eqx.filter_pmap(in_axes=(None, None, 0, 0), out_axes=None, axis_name="d")
    def step(model, opt, x, key):
        grads = jax.lax.pmean(eqx.filter_grad(loss)(model, x, key), "d")
        updates, opt = tx.update(grads, opt)
        return eqx.apply_updates(model, updates), opt

    for _ in range(5):
        key, k_x, k_drop = jax.random.split(key, 3)
        x = jax.random.normal(k_x, (n, 8, 4))
        model, opt = step(model, opt, x, jax.random.split(k_drop, n))


if __name__ == "__main__":
    main()
