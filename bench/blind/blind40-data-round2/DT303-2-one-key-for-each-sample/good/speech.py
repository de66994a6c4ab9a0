"""SpecAugment-like masking drawn on the devices."""
import jax
import jax.numpy as jnp
import numpy as np
import optax


def mask_frames(key, frames, width=6):
    start = jax.random.randint(key, (), 0, frames.shape[0] - width)
    index = jnp.arange(frames.shape[0])
    keep = (index < start) | (index >= start + width)
    return frames * keep[:, None]


def logits_of(params, frames):
    h = jnp.tanh(frames @ params["proj"])
    return h.mean(axis=1) @ params["cls"]


class Recipe:
    def __init__(self, seed=0, rows=32, lr=1e-2):
        self.devices = jax.local_device_count()
        self.rows = rows
        self.tx = optax.rmsprop(lr)
        k1, k2, self.key = jax.random.split(jax.random.key(seed), 3)
        self.params = {"proj": jax.random.normal(k1, (20, 48)) / 5, "cls": jax.random.normal(k2, (48, 6)) / 7}
        self.opt_state = self.tx.init(self.params)
        self.step = jax.pmap(self._step, axis_name="d", in_axes=(None, None, 0, 0, 0), out_axes=(None, None, None))

    def _step(self, params, opt_state, frames, labels, key):
        keys = jax.random.split(key, frames.shape[0])
        frames = jax.vmap(mask_frames)(keys, frames)

        def loss_fn(p):
            return optax.softmax_cross_entropy_with_integer_labels(logits_of(p, frames), labels).mean()

        loss, grads = jax.value_and_grad(loss_fn)(params)
        loss, grads = jax.lax.pmean((loss, grads), "d")
        updates, opt_state = self.tx.update(grads, opt_state)
        return optax.apply_updates(params, updates), opt_state, loss

    def fit(self, steps):
        rng = np.random.default_rng(4)
        for _ in range(steps):
            frames = rng.normal(size=(self.devices, self.rows, 30, 20)).astype(np.float32)
            labels = rng.integers(0, 6, (self.devices, self.rows))
            self.key, sub = jax.random.split(self.key)
            keys = jax.random.split(sub, self.devices)
            self.params, self.opt_state, loss = self.step(self.params, self.opt_state, frames, labels, keys)
        return float(loss)


if __name__ == "__main__":
    print(Recipe().fit(100))
