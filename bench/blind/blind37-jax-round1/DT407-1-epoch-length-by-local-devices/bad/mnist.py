from absl import app, flags, logging
import haiku as hk
import jax
import jax.numpy as jnp
import optax
from flax import jax_utils

import data

FLAGS = flags.FLAGS
flags.DEFINE_integer("per_device_batch", 128, "examples on each device")
flags.DEFINE_integer("epochs", 10, "passes over the training set")
flags.DEFINE_float("peak_lr", 1e-3, "highest learning rate")

net = hk.without_apply_rng(hk.transform(lambda x: hk.nets.MLP([256, 256, 10])(x)))


def loss_fn(params, batch):
    logits = net.apply(params, batch["image"])
    return optax.softmax_cross_entropy_with_integer_labels(logits, batch["label"]).mean()


def main(_):
    jax.distributed.initialize()
    plan = data.Plan(FLAGS.per_device_batch, n_examples=60_000, epochs=FLAGS.epochs)
    schedule = optax.warmup_cosine_decay_schedule(0.0, FLAGS.peak_lr, plan.steps_per_epoch, plan.total_steps)
    tx = optax.adamw(schedule)

    def step(params, opt_state, batch):
        loss, grads = jax.value_and_grad(loss_fn)(params, batch)
        grads = jax.lax.pmean(grads, axis_name="d")
        updates, opt_state = tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, jax.lax.pmean(loss, axis_name="d")

    p_step = jax.pmap(step, axis_name="d", donate_argnums=(0, 1))
    params = net.init(jax.random.PRNGKey(42), jnp.zeros((1, 28 * 28)))
    opt_state = jax_utils.replicate(tx.init(params))
    params = jax_utils.replicate(params)
    stream = data.host_stream(plan, seed=42)
    for step_index in range(plan.total_steps):
        params, opt_state, loss = p_step(params, opt_state, next(stream))
        if step_index % plan.steps_per_epoch == 0 and jax.process_index() == 0:
            logging.info("epoch %d: %.4f", step_index // plan.steps_per_epoch, float(loss[0]))


if __name__ == "__main__":
    app.run(main)
