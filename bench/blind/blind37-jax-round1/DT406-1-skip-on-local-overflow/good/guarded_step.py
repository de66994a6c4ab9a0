import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import lax
from flax import jax_utils


def apply_model(params, x):
    return jax.nn.relu(x @ params["a"]) @ params["b"]


def loss_fn(params, batch):
    return jnp.mean((apply_model(params, batch["x"]) - batch["y"]) ** 2)


def all_finite(tree):
    return jnp.all(jnp.array([jnp.isfinite(leaf).all() for leaf in jax.tree.leaves(tree)]))


class GuardedStep:
    """Takes the step only if no replica saw an overflow."""

    def __init__(self, tx, axis="batch"):
        self.tx = tx
        self.axis = axis
        self.mapped = jax.pmap(self, axis_name=axis, donate_argnums=(0, 1))

    def __call__(self, params, opt_state, batch):
        loss, grads = jax.value_and_grad(loss_fn)(params, batch)
        finite = lax.pmin(all_finite(grads).astype(jnp.int32), self.axis).astype(bool)

        def take(operands):
            params, opt_state, grads = operands
            grads = lax.pmean(grads, self.axis)
            updates, opt_state = self.tx.update(grads, opt_state, params)
            return optax.apply_updates(params, updates), opt_state

        def keep(operands):
            params, opt_state, _ = operands
            return params, opt_state

        params, opt_state = lax.cond(finite, take, keep, (params, opt_state, grads))
        return params, opt_state, lax.pmean(loss, self.axis)


def batches(per_device, seed=0):
    draw = np.random.default_rng(seed)
    n = jax.local_device_count()
    while True:
        x = draw.standard_cauchy(size=(n, per_device, 10)).astype(np.float32)
        yield {"x": x, "y": np.abs(x[..., :1])}


def main(steps=100):
    ka, kb = jax.random.split(jax.random.PRNGKey(0))
    params = {"a": jax.random.normal(ka, (10, 32)) * 0.1, "b": jax.random.normal(kb, (32, 1)) * 0.1}
    tx = optax.adamw(1e-3)
    params, opt_state = jax_utils.replicate((params, tx.init(params)))
    guarded = GuardedStep(tx)
    stream = batches(64)
    for step in range(steps):
        params, opt_state, loss = guarded.mapped(params, opt_state, next(stream))
        if step % 20 == 0:
            print(step, float(loss[0]))


if __name__ == "__main__":
    main()
