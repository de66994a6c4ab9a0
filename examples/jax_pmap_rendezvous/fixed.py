"""A focal-loss classifier trained with pmap on every local device, with nothing for devices to disagree on.

`python fixed.py` uses the accelerators there are; `python fixed.py --virtual-devices 4` runs on four CPU devices.
"""

from __future__ import annotations

import argparse
import os
from importlib import metadata


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--virtual-devices", type=int, default=0, help="split the CPU into this many devices")
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--samples", type=int, default=1000)
    parser.add_argument("--rendezvous-seconds", type=int, default=120, help="patience with a slow device")
    return parser.parse_args()


def configure_xla(virtual_devices: int, rendezvous_seconds: int) -> None:
    """Write XLA_FLAGS while XLA can still read them: before jax is imported."""
    flags = [os.environ.get("XLA_FLAGS", "")]
    if virtual_devices:
        os.environ["JAX_PLATFORMS"] = "cpu"
        flags.append(f"--xla_force_host_platform_device_count={virtual_devices}")
    # XLA aborts on a flag it does not know, so older versions keep their fixed limits.
    if tuple(int(part) for part in metadata.version("jaxlib").split(".")[:2]) >= (0, 10):
        flags.append(f"--xla_cpu_collective_call_warn_stuck_timeout_seconds={rendezvous_seconds}")
        flags.append(f"--xla_cpu_collective_call_terminate_timeout_seconds={2 * rendezvous_seconds}")
    os.environ["XLA_FLAGS"] = " ".join(flags).strip()


if __name__ == "__main__":
    arguments = parse_arguments()
    configure_xla(arguments.virtual_devices, arguments.rendezvous_seconds)

import jax
import jax.numpy as jnp
import jax.random as jrandom
import numpy as np
import optax
from jax import lax
from torch.utils.data import DataLoader

from sensors import CLASSES, FEATURES, SensorDataset, collate

BATCH_SIZE_PER_DEVICE = 16
HIDDEN = 64
ALPHA = 0.80
GAMMA = 2.0
DROPOUT = 0.2

optimizer = optax.adamw(3e-3)


def init_params(key):
    k_in, k_hidden, k_out = jrandom.split(key, 3)
    return {
        "w_in": jrandom.normal(k_in, (FEATURES, HIDDEN)) / jnp.sqrt(FEATURES),
        "w_hidden": jrandom.normal(k_hidden, (HIDDEN, HIDDEN)) / jnp.sqrt(HIDDEN),
        "w_out": jrandom.normal(k_out, (HIDDEN, CLASSES)) / jnp.sqrt(HIDDEN),
        "b_out": jnp.zeros((CLASSES,)),
    }


def dropout(hidden, key):
    keep = jrandom.bernoulli(key, 1.0 - DROPOUT, hidden.shape)
    return jnp.where(keep, hidden / (1.0 - DROPOUT), 0.0)


def compute_logits(params, x, last_steps, key=None):
    hidden = jnp.tanh(x @ params["w_in"])
    hidden = jnp.tanh(jnp.cumsum(hidden, axis=1) @ params["w_hidden"])
    hidden = jnp.take_along_axis(hidden, last_steps[:, None, None], axis=1)[:, 0]
    if key is not None:
        hidden = dropout(hidden, key)
    return hidden @ params["w_out"] + params["b_out"]


def sigmoid_focal_loss(logits, y):
    cross_entropy = optax.sigmoid_binary_cross_entropy(logits, y)
    probability = jax.nn.sigmoid(logits)
    p_t = probability * y + (1 - probability) * (1 - y)
    weight = ALPHA * y + (1 - ALPHA) * (1 - y)
    return weight * (1 - p_t) ** GAMMA * cross_entropy


def loss_fn(params, x, y, last_steps, key):
    return jnp.mean(sigmoid_focal_loss(compute_logits(params, x, last_steps, key), y))


def train_step(params, opt_state, x, y, last_steps, key):
    loss, grads = jax.value_and_grad(loss_fn)(params, x, y, last_steps, key)
    # Every device reduces on every step; whether the batch is usable is decided together, after the reduction.
    grads = lax.pmean(grads, axis_name="devices")
    loss = lax.pmean(loss, axis_name="devices")
    usable = jnp.isfinite(loss)
    updates, new_opt_state = optimizer.update(grads, opt_state, params)
    new_params = optax.apply_updates(params, updates)
    params = jax.tree.map(lambda new, old: jnp.where(usable, new, old), new_params, params)
    opt_state = jax.tree.map(lambda new, old: jnp.where(usable, new, old), new_opt_state, opt_state)
    return params, opt_state, loss


def eval_step(params, x, y, last_steps):
    logits = compute_logits(params, x, last_steps)
    loss = lax.pmean(jnp.mean(sigmoid_focal_loss(logits, y)), axis_name="devices")
    hits = (jnp.argmax(logits, axis=-1) == jnp.argmax(y, axis=-1)).mean()
    return loss, lax.pmean(hits, axis_name="devices")


train_step_pmap = jax.pmap(train_step, axis_name="devices", in_axes=(0, 0, 0, 0, 0, 0), donate_argnums=(0, 1))
eval_step_pmap = jax.pmap(eval_step, axis_name="devices", in_axes=(0, 0, 0, 0))


def replicate(tree, n_devices):
    return jax.tree.map(lambda leaf: jnp.broadcast_to(leaf, (n_devices, *leaf.shape)), tree)


def shard(array, n_devices):
    assert array.shape[0] % n_devices == 0, f"batch of {array.shape[0]} does not divide by {n_devices} devices"
    return array.reshape(n_devices, -1, *array.shape[1:])


def evaluate(params, loader, n_devices):
    losses, accuracies = [], []
    for x, y, last_steps in loader:
        loss, accuracy = eval_step_pmap(
            params, shard(x, n_devices), shard(y, n_devices), shard(last_steps, n_devices)
        )
        losses.append(float(loss[0]))
        accuracies.append(float(accuracy[0]))
    return float(np.mean(losses)), float(np.mean(accuracies))


def main(epochs: int, samples: int) -> None:
    n_devices = jax.local_device_count()
    global_batch_size = BATCH_SIZE_PER_DEVICE * n_devices
    # Loading in this process: JAX has threads by now, and a forked worker would inherit their locks.
    train_loader = DataLoader(
        SensorDataset(samples, seed=0, missing=0.002),
        batch_size=global_batch_size,
        shuffle=True,
        drop_last=True,
        num_workers=0,
        collate_fn=collate,
    )
    eval_loader = DataLoader(
        SensorDataset(4 * global_batch_size, seed=1),
        batch_size=global_batch_size,
        drop_last=True,  # four full batches: nothing is lost
        collate_fn=collate,
    )

    init_key, key = jrandom.split(jrandom.PRNGKey(0))
    params = init_params(init_key)
    opt_state = replicate(optimizer.init(params), n_devices)
    params = replicate(params, n_devices)
    loss, accuracy = evaluate(params, eval_loader, n_devices)
    print(f"epoch 0 loss {loss:.4f} accuracy {accuracy:.3f}", flush=True)

    for epoch in range(1, epochs + 1):
        skipped = 0
        for x, y, last_steps in train_loader:
            key, step_key = jrandom.split(key)
            step_keys = jrandom.split(step_key, n_devices)
            assert step_keys.shape[0] == n_devices
            params, opt_state, train_loss = train_step_pmap(
                params,
                opt_state,
                shard(x, n_devices),
                shard(y, n_devices),
                shard(last_steps, n_devices),
                step_keys,
            )
            skipped += not np.isfinite(float(train_loss[0]))
        loss, accuracy = evaluate(params, eval_loader, n_devices)
        print(f"epoch {epoch} loss {loss:.4f} accuracy {accuracy:.3f} skipped {skipped}", flush=True)


if __name__ == "__main__":
    main(arguments.epochs, arguments.samples)
