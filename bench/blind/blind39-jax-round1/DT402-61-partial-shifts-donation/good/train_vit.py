"""Small patch classifier; the step takes model and optimizer first, both bound with partial."""
import functools

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils


class PatchNet(nn.Module):
    width: int
    classes: int

    @nn.compact
    def __call__(self, patches):
        h = nn.Dense(self.width)(patches)
        h = h + nn.SelfAttention(num_heads=4)(nn.LayerNorm()(h))
        return nn.Dense(self.classes)(nn.LayerNorm()(h).mean(axis=1))


def train_step(model, tx, params, opt_state, batch):
    def loss_fn(p):
        logits = model.apply({"params": p}, batch["patches"])
        return optax.softmax_cross_entropy_with_integer_labels(logits, batch["label"]).mean()

    loss, grads = jax.value_and_grad(loss_fn)(params)
    grads = jax.lax.pmean(grads, "i")
    updates, opt_state = tx.update(grads, opt_state, params)
    return optax.apply_updates(params, updates), opt_state, jax.lax.pmean(loss, "i")


def synthetic(per_device, n):
    rng = np.random.default_rng(6)
    while True:
        patches = rng.normal(size=(n, per_device, 64, 48)).astype(np.float32)
        yield {"patches": patches, "label": (patches.mean((2, 3)) > 0).astype(np.int32)}


def main(steps=200):
    n = jax.local_device_count()
    model = PatchNet(width=64, classes=2)
    tx = optax.adamw(1e-3, weight_decay=0.05)
    params = model.init(jax.random.key(0), jnp.zeros((1, 64, 48)))["params"]
    opt_state = tx.init(params)
    params, opt_state = jax_utils.replicate((params, opt_state))
    p_step = jax.pmap(functools.partial(train_step, model, tx), axis_name="i", donate_argnums=(0, 1))
    stream = synthetic(16, n)
    for step in range(steps):
        params, opt_state, loss = p_step(params, opt_state, next(stream))
        if step % 50 == 0:
            print(step, float(loss[0]))
    return jax_utils.unreplicate(params)


if __name__ == "__main__":
    main()
