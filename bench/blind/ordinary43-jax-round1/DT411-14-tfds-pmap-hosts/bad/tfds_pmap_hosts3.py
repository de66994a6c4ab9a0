"""big_vision-like: tfds split by process, per-host batch, pmap, flax msgpack checkpoint."""
import functools
import os

import flax
import jax
import jax.numpy as jnp
import ml_collections
import optax
import tensorflow as tf
import tensorflow_datasets as tfds
from absl import logging
from clu import metric_writers, periodic_actions
from flax import linen as nn
from flax.training import checkpoints


class MLP(nn.Module):
    num_classes: int
    dtype: jnp.dtype = jnp.float32

    @nn.compact
    def __call__(self, x, *, train=False):
        x = x.reshape((x.shape[0], -1)).astype(self.dtype)
        x = nn.gelu(nn.Dense(256)(x))
        x = nn.Dropout(0.1)(x, deterministic=not train)
        return nn.Dense(self.num_classes)(x)


def get_dataset(name, split, global_batch, seed, train):
    if global_batch % jax.process_count():
        raise ValueError(f"{global_batch} does not divide by {jax.process_count()} hosts")
    host_batch = global_batch // jax.process_count()
    builder = tfds.builder(name)
    read = tfds.even_splits(split, jax.process_count(), drop_remainder=True)[jax.process_index()]
    ds = builder.as_dataset(split=read, shuffle_files=train)
    if train:
        ds = ds.repeat().shuffle(10_000, seed=seed)
    ds = ds.map(lambda d: {"image": tf.cast(d["image"], tf.float32) / 255.0, "label": d["label"]})
    ds = ds.batch(host_batch // jax.local_device_count(), drop_remainder=True)
    ds = ds.batch(jax.local_device_count(), drop_remainder=True)
    return ds.prefetch(tf.data.AUTOTUNE)


def train_and_evaluate(config: ml_collections.ConfigDict, workdir: str):
    tf.config.set_visible_devices([], "GPU")
    writer = metric_writers.create_default_writer(workdir, just_logging=jax.process_index() > 0)
    rng = jax.random.PRNGKey(config.seed)
    rng, init_rng = jax.random.split(rng)
    model = MLP(config.num_classes)
    params = model.init(init_rng, jnp.zeros((1, 28, 28, 1)))["params"]
    schedule = optax.warmup_cosine_decay_schedule(0.0, config.lr, config.warmup, config.steps)
    tx = optax.adamw(schedule)
    opt_state = tx.init(params)
    start = 0
    state = checkpoints.restore_checkpoint(workdir, {"params": params, "opt": opt_state, "step": 0})
    params, opt_state, start = state["params"], state["opt"], int(state["step"])
    params_r, opt_r = flax.jax_utils.replicate((params, opt_state))

    @functools.partial(jax.pmap, axis_name="batch", donate_argnums=(0, 1))
    def update_fn(params, opt, batch, rng):
        rng = jax.random.fold_in(rng, jax.lax.axis_index("batch"))

        def loss_fn(params):
            logits = model.apply({"params": params}, batch["image"], train=True, rngs={"dropout": rng})
            return optax.softmax_cross_entropy_with_integer_labels(logits, batch["label"]).mean()

        loss, grads = jax.value_and_grad(loss_fn)(params)
        loss, grads = jax.lax.pmean((loss, grads), axis_name="batch")
        updates, opt = tx.update(grads, opt, params)
        return optax.apply_updates(params, updates), opt, loss

    @functools.partial(jax.pmap, axis_name="batch")
    def eval_fn(params, batch):
        logits = model.apply({"params": params}, batch["image"])
        hits = jnp.argmax(logits, -1) == batch["label"]
        return jax.lax.psum(hits.sum(), "batch"), jax.lax.psum(hits.size, "batch")

    train_ds = get_dataset("mnist", "train", config.batch_size, config.seed + jax.process_index(), True)
    report = periodic_actions.ReportProgress(num_train_steps=config.steps, writer=writer)
    for step, batch in zip(range(start, config.steps), train_ds.as_numpy_iterator()):
        step_rng = flax.jax_utils.replicate(jax.random.fold_in(rng, step))
        params_r, opt_r, loss = update_fn(params_r, opt_r, batch, step_rng)
        report(step)
        if step % config.log_every == 0:
            writer.write_scalars(step, {"loss": loss[0]})
        if (step + 1) % config.eval_every == 0:
            hits = total = 0
            for batch in get_dataset("mnist", "test", config.batch_size, 0, False).as_numpy_iterator():
                h, t = eval_fn(params_r, batch)
                hits, total = hits + int(h[0]), total + int(t[0])
            writer.write_scalars(step, {"acc": hits / max(total, 1)})
            if jax.process_index() == 0:
                host = jax.tree_util.tree_map(lambda x: x, {"params": params_r, "opt": opt_r})
                host["step"] = step + 1
                checkpoints.save_checkpoint(workdir, jax.device_get(host), step + 1, keep=2, overwrite=True)
                logging.info("saved %d", step + 1)
    writer.close()
