import pickle
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils, serialization


def loss_fn(params, x, y):
    return jnp.mean((x @ params["w"] + params["b"] - y) ** 2)


class Training:
    def __init__(self, out, lr=0.1):
        self.out = Path(out)
        self.tx = optax.sgd(lr, momentum=0.9)
        params = {"w": jnp.zeros(5), "b": jnp.zeros(())}
        self.opt_state = jax_utils.replicate(self.tx.init(params))
        self.params = jax_utils.replicate(params)
        self._step = jax.pmap(self._update, axis_name="p")

    def _update(self, params, opt_state, x, y):
        loss, grads = jax.value_and_grad(loss_fn)(params, x, y)
        grads = jax.lax.pmean(grads, "p")
        updates, opt_state = self.tx.update(grads, opt_state)
        return optax.apply_updates(params, updates), opt_state, jax.lax.pmean(loss, "p")

    def save(self, step):
        params = jax.device_get(self.params)
        if jax.process_index() == 0:
            self.out.mkdir(parents=True, exist_ok=True)
            (self.out / f"params_{step}.msgpack").write_bytes(serialization.to_bytes(params))

    def run(self, steps):
        n = jax.local_device_count()
        rng = np.random.default_rng(jax.process_index())
        for step in range(1, steps + 1):
            x = rng.normal(size=(n, 32, 5)).astype(np.float32)
            self.params, self.opt_state, loss = self._step(self.params, self.opt_state, x, x.sum(-1))
            if step % 50 == 0:
                self.save(step)
        return float(loss[0])


def restore(path):
    template = {"w": jnp.zeros(5), "b": jnp.zeros(())}
    return serialization.from_bytes(template, Path(path).read_bytes())


if __name__ == "__main__":
    print(Training("runs/linear").run(200))
