import functools
import itertools

import jax
import numpy as np
import optax

import masked


class MaskedTrainer:
    def __init__(self, ratio=0.4, lr=2e-3, seed=1):
        init_key, self.key = jax.random.split(jax.random.PRNGKey(seed))
        self.tx = optax.adamw(lr)
        self.ratio = ratio
        self.devices = jax.local_devices()
        params = masked.init(init_key)
        stack = lambda leaf: np.stack([leaf] * len(self.devices))
        self.params, self.opt_state = jax.tree.map(stack, (params, self.tx.init(params)))

    def _update(self, params, opt_state, x, *, key):
        loss, grads = jax.value_and_grad(masked.masked_loss)(params, x, key, self.ratio)
        grads = jax.lax.pmean(grads, "rows")
        updates, opt_state = self.tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, jax.lax.pmean(loss, "rows")

    def run(self, batches):
        for number, x in enumerate(batches):
            step_key = jax.random.fold_in(self.key, number)
            update = jax.pmap(functools.partial(self._update, key=step_key), axis_name="rows")
            self.params, self.opt_state, loss = update(self.params, self.opt_state, x)
        return float(loss[0])


def rows(seed, each):
    rng = np.random.default_rng(seed)
    while True:
        yield rng.normal(size=(jax.local_device_count(), each, 12)).astype(np.float32)


if __name__ == "__main__":
    print("loss", MaskedTrainer().run(itertools.islice(rows(0, 8), 10)))
