"""Multi-host pmap training of a small text classifier."""
import argparse

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils

TRAIN_EXAMPLES = 120_000


def flags():
    parser = argparse.ArgumentParser()
    parser.add_argument("--per-device-batch", type=int, default=64)
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--peak-lr", type=float, default=1e-3)
    parser.add_argument("--vocab", type=int, default=20_000)
    return parser.parse_args()


def schedule_for(args):
    global_batch = args.per_device_batch * jax.local_device_count()
    steps_per_epoch = TRAIN_EXAMPLES // global_batch
    total = steps_per_epoch * args.epochs
    return optax.warmup_cosine_decay_schedule(0.0, args.peak_lr, total // 20, total), total


def init(key, vocab, width=64, classes=4):
    emb, out = jax.random.split(key)
    return {"emb": 0.05 * jax.random.normal(emb, (vocab, width)), "out": 0.05 * jax.random.normal(out, (width, classes))}


def loss_fn(params, tokens, labels):
    logits = params["emb"][tokens].mean(axis=1) @ params["out"]
    return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()


def host_batches(per_device):
    data = np.load("agnews_train.npz")
    tokens = data["tokens"][jax.process_index() :: jax.process_count()]
    labels = data["labels"][jax.process_index() :: jax.process_count()]
    rng = np.random.default_rng([5, jax.process_index()])
    local = jax.local_device_count()
    while True:
        pick = rng.integers(0, len(labels), size=(local, per_device))
        yield tokens[pick], labels[pick]


def main():
    args = flags()
    jax.distributed.initialize()
    schedule, total = schedule_for(args)
    tx = optax.adamw(schedule)

    def update(params, opt_state, tokens, labels):
        loss, grads = jax.value_and_grad(loss_fn)(params, tokens, labels)
        loss, grads = jax.lax.pmean((loss, grads), "all")
        updates, opt_state = tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, loss

    p_update = jax.pmap(update, axis_name="all", donate_argnums=(0, 1))
    params = init(jax.random.key(0), args.vocab)
    opt_state = jax_utils.replicate(tx.init(params))
    params = jax_utils.replicate(params)
    stream = host_batches(args.per_device_batch)
    for step in range(total):
        params, opt_state, loss = p_update(params, opt_state, *next(stream))
        if step % 200 == 0 and jax.process_index() == 0:
            print(f"{step}/{total} {float(loss[0]):.4f}", flush=True)


if __name__ == "__main__":
    main()
