"""Text classification with Haiku, one replica of the network on each local device."""
import argparse
import collections

import haiku as hk
import jax
import jax.numpy as jnp
import numpy as np
import optax

Batch = collections.namedtuple("Batch", "tokens labels")


def network(tokens, is_training):
    x = hk.Embed(5000, 96)(tokens)
    for _ in range(2):
        h = hk.Conv1D(96, 3)(hk.LayerNorm(-1, True, True)(x))
        if is_training:
            h = hk.dropout(hk.next_rng_key(), 0.2, h)
        x = x + jax.nn.gelu(h)
    return hk.Linear(4)(x.mean(axis=1))


class Experiment:
    def __init__(self, lr, seed):
        self.forward = hk.transform(network)
        self.tx = optax.adamw(lr)
        self.rng = hk.PRNGSequence(seed)
        self.devices = jax.local_devices()
        params = self.forward.init(next(self.rng), jnp.zeros((1, 16), jnp.int32), True)
        self.params = jax.device_put_replicated(params, self.devices)
        self.opt_state = jax.device_put_replicated(self.tx.init(params), self.devices)
        self._update = jax.pmap(self._update_fn, axis_name="i", in_axes=(0, 0, 0, 0), donate_argnums=(0, 1))

    def _loss(self, params, rng, batch):
        logits = self.forward.apply(params, rng, batch.tokens, True)
        return optax.softmax_cross_entropy_with_integer_labels(logits, batch.labels).mean()

    def _update_fn(self, params, opt_state, rng, batch):
        loss, grads = jax.value_and_grad(self._loss)(params, rng, batch)
        grads = jax.lax.pmean(grads, "i")
        updates, opt_state = self.tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, jax.lax.pmean(loss, "i")

    def step(self, batch):
        batch = jax.tree.map(lambda x: x.reshape((len(self.devices), -1) + x.shape[1:]), batch)
        rng = jax.random.split(next(self.rng), len(self.devices))
        self.params, self.opt_state, loss = self._update(self.params, self.opt_state, rng, batch)
        return float(loss[0])


def read(path, size, seed):
    rng = np.random.default_rng(seed)
    with np.load(path) as archive:
        tokens, labels = archive["tokens"], archive["labels"]
    while True:
        order = rng.permutation(len(tokens))
        for at in range(0, len(order) - size + 1, size):
            pick = order[at : at + size]
            yield Batch(tokens[pick], labels[pick])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", default="reviews.npz")
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--steps", type=int, default=2000)
    args = parser.parse_args()
    experiment = Experiment(3e-4, seed=42)
    for number, batch in zip(range(args.steps), read(args.data, args.batch, 0)):
        loss = experiment.step(batch)
        if number % 100 == 0:
            print(number, loss)


if __name__ == "__main__":
    main()
