"""flax linen: nn.scan over layers, nn.vmap ensemble, nn.remat, split_rngs."""
import functools

import jax
import jax.numpy as jnp
import optax
from flax import linen as nn


class Layer(nn.Module):
    width: int
    train: bool

    @nn.compact
    def __call__(self, x, _):
        h = nn.Dense(self.width)(nn.LayerNorm()(x))
        h = nn.Dropout(0.1, deterministic=not self.train)(nn.gelu(h))
        return x + h, None


class Stack(nn.Module):
    width: int
    depth: int

    @nn.compact
    def __call__(self, x, train):
        x = nn.Dense(self.width)(x)
        layer = nn.remat(Layer, prevent_cse=False)
        x, _ = nn.scan(
            layer, variable_axes={"params": 0}, split_rngs={"params": True, "dropout": True}, length=self.depth
        )(self.width, train)(x, None)
        return nn.Dense(1)(x)


Ensemble = nn.vmap(
    Stack, in_axes=(None, None), variable_axes={"params": 0}, split_rngs={"params": True, "dropout": True}, axis_size=3
)


@functools.partial(jax.jit, static_argnums=0)
def step(tx, params, opt, batch, key):
    def loss_fn(p):
        out = Ensemble(16, 2).apply({"params": p}, batch[0], True, rngs={"dropout": key})
        return jnp.mean((out - batch[1]) ** 2)

    loss, grads = jax.value_and_grad(loss_fn)(params)
    upd, opt = tx.update(grads, opt, params)
    return optax.apply_updates(params, upd), opt, loss


def main():
    key = jax.random.PRNGKey(0)
    p_key, d_key, x_key, key = jax.random.split(key, 4)
    x = jax.random.normal(x_key, (32, 4))
    batch = (x, x.sum(1, keepdims=True))
    params = Ensemble(16, 2).init({"params": p_key, "dropout": d_key}, x, True)["params"]
    tx = optax.adam(1e-3)
    opt = tx.init(params)
    for i in range(5):
        params, opt, loss = step(tx, params, opt, batch, jax.random.fold_in(key, i))
    pred = Ensemble(16, 2).apply({"params": params}, x, False)
    print(float(loss), pred.std(0).mean())


if __name__ == "__main__":
    main()
