import functools

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils
from flax.training.common_utils import shard


def loss_fn(params, batch, smoothing):
    logits = jnp.tanh(batch["x"] @ params["w"]) @ params["v"]
    targets = optax.smooth_labels(jax.nn.one_hot(batch["y"], logits.shape[-1]), smoothing)
    return optax.softmax_cross_entropy(logits, targets).mean()


def train_step(config, params, opt_state, batch, schedule_phase):
    smoothing = 0.1 if schedule_phase == "warmup" else 0.0
    loss, grads = jax.value_and_grad(loss_fn)(params, batch, smoothing)
    grads = jax.lax.pmean(grads, "batch")
    updates, opt_state = config["tx"].update(grads, opt_state, params)
    return optax.apply_updates(params, updates), opt_state, jax.lax.pmean(loss, "batch")


def batches(size):
    draw = np.random.default_rng(0)
    while True:
        x = draw.normal(size=(size, 24)).astype(np.float32)
        yield shard({"x": x, "y": x[:, :6].argmax(-1)})


def main(steps=500, warmup=50):
    config = {"tx": optax.lamb(1e-3)}
    kw, kv = jax.random.split(jax.random.PRNGKey(0))
    params = {"w": jax.random.normal(kw, (24, 64)) / 5, "v": jax.random.normal(kv, (64, 6)) / 8}
    params, opt_state = jax_utils.replicate((params, config["tx"].init(params)))
    p_step = jax.pmap(
        functools.partial(train_step, config),
        axis_name="batch",
        donate_argnums=(0, 1),
        static_broadcasted_argnums=(3,),
    )
    for i, batch in zip(range(steps), batches(256)):
        phase = "warmup" if i < warmup else "main"
        params, opt_state, loss = p_step(params, opt_state, batch, phase)
    print(float(loss[0]))


if __name__ == "__main__":
    main()
