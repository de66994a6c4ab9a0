import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils

tx = optax.sgd(0.1)


def nll(params, x, y):
    logp = jax.nn.log_softmax(x @ params["w"] + params["b"])
    return -jnp.mean(jnp.sum(logp * y, axis=-1))


class Stepper:
    def __init__(self):
        self.fn = jax.pmap(self._step, axis_name="b", in_axes=(0, 0, 0))

    def _step(self, carry, x, y):
        params, opt_state = carry
        loss, grads = jax.value_and_grad(nll)(params, x, y)
        grads = jax.lax.pmean(grads, "b")
        updates, opt_state = tx.update(grads, opt_state)
        return (optax.apply_updates(params, updates), opt_state), jax.lax.pmean(loss, "b")

    def __call__(self, carry, batch):
        n = jax.local_device_count()
        x = batch["x"].reshape(n, -1, 20)
        y = batch["y"].reshape(n, -1, 4)
        return self.fn(carry, x, y)


def main(steps=100):
    params = {"w": jnp.zeros((20, 4)), "b": jnp.zeros(4)}
    carry = jax_utils.replicate((params, tx.init(params)))
    step = Stepper()
    rng = np.random.default_rng(0)
    for _ in range(steps):
        x = rng.normal(size=(64, 20)).astype(np.float32)
        carry, loss = step(carry, {"x": x, "y": np.eye(4, dtype=np.float32)[x[:, :4].argmax(1)]})
    print(float(loss[0]))


if __name__ == "__main__":
    main()
