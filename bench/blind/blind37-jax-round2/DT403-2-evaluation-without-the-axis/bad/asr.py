import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils

import losses

tx = optax.adamw(1e-3)


def forward(params, features):
    hidden = jax.nn.relu(features @ params["in"])
    return hidden @ params["out"]


def train_step(params, opt_state, batch):
    def loss_fn(p):
        return losses.ctc_like(forward(p, batch["features"]), batch["labels"]).mean()

    loss, grads = jax.value_and_grad(loss_fn)(params)
    grads = jax.lax.pmean(grads, "batch")
    updates, opt_state = tx.update(grads, opt_state, params)
    return optax.apply_updates(params, updates), opt_state, jax.lax.pmean(loss, "batch")


def eval_step(params, batch, axis_name=None):
    per_example = losses.ctc_like(forward(params, batch["features"]), batch["labels"])
    return losses.weighted_mean(per_example, batch["weight"], axis_name or "batch")


def synthetic(n, seed):
    draw = np.random.default_rng(seed)
    devices = jax.local_device_count()
    features = draw.normal(size=(devices, n // devices, 20, 13)).astype(np.float32)
    return {
        "features": features,
        "labels": features[..., :10].argmax(-1),
        "weight": (draw.random(features.shape[:2]) < 0.95).astype(np.float32),
    }


def main(epochs=5, steps=50):
    k1, k2 = jax.random.split(jax.random.PRNGKey(0))
    params = {"in": jax.random.normal(k1, (13, 64)) / 4, "out": jax.random.normal(k2, (64, 10)) / 8}
    params, opt_state = jax_utils.replicate((params, tx.init(params)))
    p_train = jax.pmap(train_step, axis_name="batch", donate_argnums=(0, 1))
    evaluate = jax.jit(eval_step)
    held_out = jax.tree.map(lambda x: x.reshape(-1, *x.shape[2:]), synthetic(128, seed=999))
    for epoch in range(epochs):
        for i in range(steps):
            params, opt_state, loss = p_train(params, opt_state, synthetic(64, seed=epoch * steps + i))
        print(epoch, float(loss[0]), float(evaluate(jax_utils.unreplicate(params), held_out)))


if __name__ == "__main__":
    main()
