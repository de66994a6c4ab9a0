"""Evaluation with fixed noise: the same eval key in every epoch on purpose, so curves are comparable."""
import jax
import jax.numpy as jnp
import optax


def noisy(params, x, key):
    h = jnp.tanh(x @ params["a"])
    h = h + 0.1 * jax.random.normal(key, h.shape)
    return h @ params["b"]


@jax.jit
def evaluate(params, x, y, key):
    return jnp.mean((noisy(params, x, key) - y) ** 2)


def main(epochs=4):
    root = jax.random.PRNGKey(2)
    init_key, data_key, train_key, eval_key = jax.random.split(root, 4)
    ka, kb = jax.random.split(init_key)
    params = {"a": jax.random.normal(ka, (4, 8)), "b": jax.random.normal(kb, (8, 1)) * 0.1}
    kx, kv = jax.random.split(data_key)
    x, xv = jax.random.normal(kx, (128, 4)), jax.random.normal(kv, (64, 4))
    y, yv = x.sum(1, keepdims=True), xv.sum(1, keepdims=True)
    tx = optax.adam(1e-2)
    opt = tx.init(params)

    @jax.jit
    def step(params, opt, key):
        loss, g = jax.value_and_grad(lambda p: jnp.mean((noisy(p, x, key) - y) ** 2))(params)
        u, opt = tx.update(g, opt)
        return optax.apply_updates(params, u), opt, loss

    history = []
    for epoch in range(epochs):
        epoch_key = jax.random.fold_in(train_key, epoch)
        for _ in range(10):
            params, opt, loss = step(params, opt, epoch_key)
        history.append(float(evaluate(params, xv, yv, eval_key)))
        print(epoch, float(loss), history[-1])
    assert history[-1] == float(evaluate(params, xv, yv, eval_key))


if __name__ == "__main__":
    main()
