"""Distil a frozen teacher into a student, data parallel on the chips of one host."""
import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import optax


@dataclasses.dataclass
class Settings:
    batch: int = 512
    steps: int = 400
    temperature: float = 2.0
    lr: float = 1e-3


def mlp(key, sizes):
    keys = jax.random.split(key, len(sizes) - 1)
    return [jax.random.normal(k, pair) / pair[0] ** 0.5 for k, pair in zip(keys, zip(sizes, sizes[1:]))]


def apply(weights, x):
    *hidden, last = weights
    for w in hidden:
        x = jax.nn.relu(x @ w)
    return x @ last


class Distiller:
    def __init__(self, settings, teacher, student):
        self.settings = settings
        self.tx = optax.adam(settings.lr)
        self.teacher = teacher
        self.student = student
        self.opt_state = self.tx.init(student)
        self.devices = jax.local_device_count()
        self.step = jax.pmap(
            self._step,
            axis_name="chips",
            in_axes=(None, None, None, None),
            out_axes=None,
        )

    def _loss(self, student, teacher, x):
        t = self.settings.temperature
        target = jax.nn.softmax(apply(teacher, x) / t)
        return -jnp.mean(jnp.sum(target * jax.nn.log_softmax(apply(student, x) / t), axis=-1)) * t**2

    def _step(self, student, opt_state, teacher, x):
        loss, grads = jax.value_and_grad(self._loss)(student, teacher, x)
        loss, grads = jax.lax.pmean((loss, grads), "chips")
        updates, opt_state = self.tx.update(grads, opt_state)
        return optax.apply_updates(student, updates), opt_state, loss

    def fit(self, source):
        loss = None
        for _ in range(self.settings.steps):
            x = next(source).reshape(self.devices, -1, 40)
            self.student, self.opt_state, loss = self.step(self.student, self.opt_state, self.teacher, x)
        return float(loss)


def inputs(batch):
    rng = np.random.default_rng(0)
    while True:
        yield rng.normal(size=(batch, 40)).astype(np.float32)


def main():
    settings = Settings()
    k_teacher, k_student = jax.random.split(jax.random.key(0))
    distiller = Distiller(settings, mlp(k_teacher, (40, 256, 10)), mlp(k_student, (40, 32, 10)))
    print("distillation loss", distiller.fit(inputs(settings.batch)))


if __name__ == "__main__":
    main()
