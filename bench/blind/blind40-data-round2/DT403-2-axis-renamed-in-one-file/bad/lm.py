import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils
from jax import lax

from losses import token_loss

tx = optax.chain(optax.clip_by_global_norm(1.0), optax.adam(1e-3))


def model(params, tokens):
    h = params["embed"][tokens]
    h = h + jnp.cumsum(h, axis=1) @ params["mix"]
    return h @ params["embed"].T


def train_step(params, opt_state, tokens):
    inputs, targets = tokens[:, :-1], tokens[:, 1:]

    def loss_fn(p):
        return token_loss(model(p, inputs), targets, (targets > 0).astype(jnp.float32))

    loss, grads = jax.value_and_grad(loss_fn)(params)
    loss, grads = lax.psum((loss, grads), "devices")
    updates, opt_state = tx.update(grads, opt_state)
    return optax.apply_updates(params, updates), opt_state, loss


def main(steps=100, vocab=64, dim=32):
    p_step = jax.pmap(train_step, axis_name="devices", donate_argnums=(0, 1))
    k1, k2 = jax.random.split(jax.random.PRNGKey(0))
    params = {"embed": jax.random.normal(k1, (vocab, dim)) / 6, "mix": jax.random.normal(k2, (dim, dim)) / 60}
    opt_state = jax_utils.replicate(tx.init(params))
    params = jax_utils.replicate(params)
    rng = np.random.default_rng(0)
    for _ in range(steps):
        tokens = rng.integers(0, vocab, (jax.local_device_count(), 8, 33))
        params, opt_state, loss = p_step(params, opt_state, tokens)
    print(float(loss[0]))


if __name__ == "__main__":
    main()
