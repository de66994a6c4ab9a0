import os

os.environ["XLA_RENDEZVOUS_WAIT_SECONDS"] = "120"

import jax
import jax.numpy as jnp
import jax.random as jrandom
import optax
from jax import lax
from torch.utils.data import DataLoader

from sensors import CLASSES, FEATURES, SensorDataset, collate

BATCH_SIZE_PER_GPU = 16
HIDDEN = 64
EPOCHS = 5
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


def compute_logits(params, x, last_idxs, key, inference=False):
    h = jnp.tanh(x @ params["w_in"])
    h = jnp.tanh(jnp.cumsum(h, axis=1) @ params["w_hidden"])
    h = jnp.take_along_axis(h, last_idxs[:, None, None], axis=1)[:, 0]
    if not inference:
        keep = jrandom.bernoulli(key, 1.0 - DROPOUT, h.shape)
        h = jnp.where(keep, h / (1.0 - DROPOUT), 0.0)
    return h @ params["w_out"] + params["b_out"]


def sigmoid_focal_loss(logits, y, alpha, gamma):
    ce = optax.sigmoid_binary_cross_entropy(logits, y)
    p = jax.nn.sigmoid(logits)
    p_t = p * y + (1 - p) * (1 - y)
    weight = alpha * y + (1 - alpha) * (1 - y)
    return weight * (1 - p_t) ** gamma * ce


def loss_fn(params, x, y, last_idxs, key):
    preds = compute_logits(params, x, last_idxs, key)
    return jnp.mean(sigmoid_focal_loss(preds, y, alpha=0.80, gamma=GAMMA))


def train_step(params, x, y, opt_state, last_idxs, key):
    loss, grads = jax.value_and_grad(loss_fn)(params, x, y, last_idxs, key)
    finite = jnp.isfinite(loss)
    grads = lax.cond(
        finite,
        lambda g: lax.pmean(g, axis_name="i"),
        lambda g: jax.tree.map(jnp.zeros_like, g),
        grads,
    )
    updates, opt_state = optimizer.update(grads, opt_state, params)
    params = optax.apply_updates(params, updates)
    return params, opt_state, loss


def eval_step(params, x, y, last_idxs, key, gamma):
    preds = compute_logits(params, x, last_idxs, key)
    loss = jnp.mean(sigmoid_focal_loss(preds, y, alpha=0.80, gamma=gamma))
    return lax.pmean(loss, axis_name="i")


train_step_pmap = jax.pmap(train_step, axis_name="i", donate_argnums=(0, 3))
eval_step_pmap = jax.pmap(eval_step, axis_name="i")


def replicate(tree, n_devices):
    return jax.tree.map(lambda leaf: jnp.broadcast_to(leaf, (n_devices, *leaf.shape)), tree)


def shard(array, n_devices):
    return array.reshape(n_devices, -1, *array.shape[1:])


def evaluate(params, loader, n_devices, key):
    total, batches = 0.0, 0
    for x, y, last_idxs in loader:
        key, eval_key = jrandom.split(key)
        eval_keys = jrandom.split(eval_key, x.shape[0])
        x, y, last_idxs = (shard(array, n_devices) for array in (x, y, last_idxs))
        loss = eval_step_pmap(params, x, y, last_idxs, eval_keys, GAMMA)
        total, batches = total + float(loss[0]), batches + 1
    return total / batches


def main():
    n_devices = jax.local_device_count()
    global_batch_size = BATCH_SIZE_PER_GPU * (n_devices - 1)
    train_loader = DataLoader(
        SensorDataset(1000, seed=0, missing=0.02),
        batch_size=global_batch_size,
        shuffle=True,
        num_workers=4,
        collate_fn=collate,
    )
    eval_loader = DataLoader(
        SensorDataset(192, seed=1), batch_size=BATCH_SIZE_PER_GPU * n_devices, collate_fn=collate
    )

    key, init_key = jrandom.split(jrandom.PRNGKey(0))
    params = init_params(init_key)
    opt_state = replicate(optimizer.init(params), n_devices)
    params = replicate(params, n_devices)

    for epoch in range(EPOCHS):
        for x, y, last_idxs in train_loader:
            key, step_key = jrandom.split(key)
            step_keys = replicate(step_key, n_devices)
            x, y, last_idxs = (shard(array, n_devices) for array in (x, y, last_idxs))
            params, opt_state, loss = train_step_pmap(params, x, y, opt_state, last_idxs, step_keys)
        key, eval_key = jrandom.split(key)
        print(f"epoch {epoch} loss {float(loss[0]):.4f} eval {evaluate(params, eval_loader, n_devices, eval_key):.4f}")


if __name__ == "__main__":
    main()
