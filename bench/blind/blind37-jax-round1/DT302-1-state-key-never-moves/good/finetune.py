import argparse

import jax
import numpy as np
import optax

from state import create


@jax.jit
def train_step(state, batch):
    dropout_key, carried = jax.random.split(state.dropout_key)

    def loss_fn(params):
        logits = state.apply_fn(
            {"params": params}, batch["x"], deterministic=False, rngs={"dropout": dropout_key}
        )
        return optax.softmax_cross_entropy_with_integer_labels(logits, batch["y"]).mean()

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    state = state.apply_gradients(grads=grads, dropout_key=carried)
    return state, loss


@jax.jit
def accuracy(state, batch):
    logits = state.apply_fn({"params": state.params}, batch["x"], deterministic=True)
    return (logits.argmax(-1) == batch["y"]).mean()


def synthetic(n, seed):
    draw = np.random.default_rng(seed)
    x = draw.normal(size=(n, 32)).astype(np.float32)
    return {"x": x, "y": (np.abs(x[:, :10]).argmax(-1)).astype(np.int32)}


def batches(data, size, epoch):
    order = np.random.default_rng(epoch).permutation(len(data["y"]))
    for start in range(0, len(order) - size + 1, size):
        rows = order[start : start + size]
        yield {name: column[rows] for name, column in data.items()}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--batch-size", type=int, default=128)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()

    state = create(jax.random.key(args.seed), optax.adamw(3e-4))
    train, held_out = synthetic(8192, 1), synthetic(1024, 2)
    for epoch in range(args.epochs):
        losses = []
        for batch in batches(train, args.batch_size, epoch):
            state, loss = train_step(state, batch)
            losses.append(loss)
        print(epoch, float(np.mean(jax.device_get(losses))), float(accuracy(state, held_out)))


if __name__ == "__main__":
    main()
