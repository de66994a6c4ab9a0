import jax
import jax.numpy as jnp
import numpy as np
import optax

import parallel


class Forecaster:
    """Predicts the next value of each series from a window of it."""

    def __init__(self, window, hidden, key):
        k1, k2 = jax.random.split(key)
        self.params = {"w": jax.random.normal(k1, (window, hidden)) * window**-0.5, "v": jax.random.normal(k2, (hidden,)) * hidden**-0.5}

    @staticmethod
    def predict(params, windows):
        return jax.nn.elu(windows @ params["w"]) @ params["v"]

    @classmethod
    def loss(cls, params, windows, target):
        return jnp.mean(optax.huber_loss(cls.predict(params, windows), target))


def make_step(tx):
    @parallel.pmap
    def step(params, opt_state, windows, target):
        loss, grads = jax.value_and_grad(Forecaster.loss)(params, windows, target)
        grads = parallel.psum(grads)
        updates, opt_state = tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, parallel.pmean(loss)

    return step


def main(steps=500, batch=512, window=24):
    forecaster = Forecaster(window, 64, jax.random.key(10))
    tx = optax.sgd(1e-2, momentum=0.9)
    params, opt_state = parallel.broadcast((forecaster.params, tx.init(forecaster.params)))
    step_fn = make_step(tx)
    rng = np.random.default_rng(10)
    time = np.arange(window + 1)
    for step in range(steps):
        phase, speed = rng.uniform(0, 6, (batch, 1)), rng.uniform(0.1, 0.5, (batch, 1))
        series = np.sin(phase + speed * time).astype(np.float32)
        windows, target = parallel.split_rows((series[:, :-1], series[:, -1]))
        params, opt_state, loss = step_fn(params, opt_state, windows, target)
        if step % 100 == 0:
            print(step, float(loss[0]))
    np.savez("forecaster.npz", **jax.device_get(parallel.first(params)))


if __name__ == "__main__":
    main()
