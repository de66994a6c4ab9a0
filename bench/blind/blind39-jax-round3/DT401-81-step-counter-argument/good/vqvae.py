import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils


class Model:
    """Params in, loss out; the commitment weight is warmed up."""

    def __init__(self, dim, codes, warmup):
        self.dim, self.codes, self.warmup = dim, codes, warmup

    def init(self, key):
        enc, dec, book = jax.random.split(key, 3)
        return {
            "enc": jax.random.normal(enc, (self.dim, 8)) / self.dim**0.5,
            "dec": jax.random.normal(dec, (8, self.dim)) / 8**0.5,
            "book": jax.random.normal(book, (self.codes, 8)),
        }

    def loss(self, params, x, step):
        z = x @ params["enc"]
        near = params["book"][jnp.argmin(jnp.sum((z[:, None] - params["book"][None]) ** 2, -1), -1)]
        out = (z + jax.lax.stop_gradient(near - z)) @ params["dec"]
        beta = jnp.minimum(1.0, step / self.warmup)
        commit = jnp.mean((z - jax.lax.stop_gradient(near)) ** 2) + jnp.mean((jax.lax.stop_gradient(z) - near) ** 2)
        return jnp.mean((out - x) ** 2) + beta * commit


def build_train_step(model, tx):
    def train_step(params, opt_state, x, step):
        loss, grads = jax.value_and_grad(model.loss)(params, x, step)
        loss, grads = jax.lax.pmean((loss, grads), "d")
        updates, opt_state = tx.update(grads, opt_state)
        return optax.apply_updates(params, updates), opt_state, loss

    return jax.pmap(train_step, axis_name="d", in_axes=(0, 0, 0, None), donate_argnums=(0, 1))


def main(steps=100, per_device=64):
    model, tx = Model(32, 128, warmup=50), optax.adam(1e-3)
    params = model.init(jax.random.key(1))
    params, opt_state = jax_utils.replicate((params, tx.init(params)))
    train_step = build_train_step(model, tx)
    rng = np.random.default_rng(1)
    n = jax.local_device_count()
    for step in range(steps):
        x = rng.normal(size=(n, per_device, 32)).astype(np.float32)
        params, opt_state, loss = train_step(params, opt_state, x, step)
    print(float(loss[0]))


if __name__ == "__main__":
    main()
