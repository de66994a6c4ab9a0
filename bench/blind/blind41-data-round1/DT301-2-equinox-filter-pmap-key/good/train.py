import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax

optim = optax.adamw(1e-3)


class Head(eqx.Module):
    inner: eqx.nn.MLP
    dropout: eqx.nn.Dropout

    def __init__(self, key):
        self.inner = eqx.nn.MLP(12, 3, 64, 2, key=key)
        self.dropout = eqx.nn.Dropout(0.2)

    def __call__(self, x, key):
        return self.inner(self.dropout(x, key=key))


def loss_fn(model, x, y, key):
    logits = jax.vmap(model)(x, jax.random.split(key, x.shape[0]))
    return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()


@eqx.filter_pmap(axis_name="d", in_axes=(None, None, 0, 0, 0), out_axes=(None, None, 0))
def step(model, opt_state, x, y, key):
    loss, grads = eqx.filter_value_and_grad(loss_fn)(model, x, y, key)
    grads = jax.lax.pmean(grads, "d")
    updates, opt_state = optim.update(grads, opt_state, eqx.filter(model, eqx.is_array))
    return eqx.apply_updates(model, updates), opt_state, jax.lax.pmean(loss, "d")


def main(steps=100):
    n = jax.local_device_count()
    init_key, key = jax.random.split(jax.random.PRNGKey(0))
    model = Head(init_key)
    opt_state = optim.init(eqx.filter(model, eqx.is_array))
    rng = np.random.default_rng(0)
    for i in range(steps):
        x = rng.normal(size=(n, 16, 12)).astype(np.float32)
        y = rng.integers(0, 3, size=(n, 16))
        step_key = jax.random.fold_in(key, i)
        model, opt_state, loss = step(model, opt_state, x, y, jax.random.split(step_key, n))
    print(float(loss[0]))


if __name__ == "__main__":
    main()
