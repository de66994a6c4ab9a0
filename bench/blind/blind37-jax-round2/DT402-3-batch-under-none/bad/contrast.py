from collections import namedtuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import lax
from flax import jax_utils

Batch = namedtuple("Batch", "anchor other")


class Trainer:
    axis = "data"

    def __init__(self, dim=32, lr=1e-3):
        self.dim = dim
        self.tx = optax.sgd(lr, momentum=0.9)
        self.train = jax.pmap(self._train, axis_name=self.axis, in_axes=(0, 0, None, None))
        self.validate = jax.pmap(self._validate, axis_name=self.axis, in_axes=(0, 0, None))

    def init(self, key):
        weights = jax.random.normal(key, (self.dim, self.dim)) / np.sqrt(self.dim)
        return jax_utils.replicate((weights, self.tx.init(weights)))

    @staticmethod
    def _loss(weights, batch, temperature):
        a, b = batch.anchor @ weights, batch.other @ weights
        a /= jnp.linalg.norm(a, axis=-1, keepdims=True)
        b /= jnp.linalg.norm(b, axis=-1, keepdims=True)
        logits = a @ b.T / temperature
        return optax.softmax_cross_entropy_with_integer_labels(logits, jnp.arange(len(a))).mean()

    def _train(self, weights, opt_state, batch, temperature):
        loss, grads = jax.value_and_grad(self._loss)(weights, batch, temperature)
        updates, opt_state = self.tx.update(lax.pmean(grads, self.axis), opt_state)
        return optax.apply_updates(weights, updates), opt_state, lax.pmean(loss, self.axis)

    def _validate(self, weights, batch, temperature):
        return lax.pmean(self._loss(weights, batch, temperature), self.axis)


def pairs(rows, seed):
    draw = np.random.default_rng(seed)
    devices = jax.local_device_count()
    while True:
        anchor = draw.normal(size=(devices, rows // devices, 32)).astype(np.float32)
        yield Batch(anchor, anchor + 0.1 * draw.normal(size=anchor.shape).astype(np.float32))


def main(steps=600):
    trainer = Trainer()
    weights, opt_state = trainer.init(jax.random.PRNGKey(2))
    held_out = next(pairs(256, seed=1))
    for step, batch in zip(range(steps), pairs(512, seed=0)):
        temperature = max(0.07, 0.5 * 0.99**step)
        weights, opt_state, loss = trainer.train(weights, opt_state, batch, temperature)
        if step % 100 == 0:
            print(step, float(loss[0]), float(trainer.validate(weights, held_out, temperature)[0]))


if __name__ == "__main__":
    main()
