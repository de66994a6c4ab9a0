import dataclasses
import functools

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils
from flax.training.train_state import TrainState

from net import Classifier


@dataclasses.dataclass(frozen=True)
class Experiment:
    seed: int = 11
    per_host_batch: int = 64
    steps: int = 30
    lr: float = 1e-3


@functools.partial(jax.pmap, axis_name="batch", donate_argnums=(0,))
def train_step(state, x, y, rng):
    rng = jax.random.fold_in(rng, state.step)

    def loss_fn(params):
        logits = state.apply_fn({"params": params}, x, train=True, rngs={"dropout": rng})
        return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    grads = jax.lax.pmean(grads, axis_name="batch")
    return state.apply_gradients(grads=grads), jax.lax.pmean(loss, axis_name="batch")


def local_batches(exp):
    rng = np.random.default_rng([exp.seed, jax.process_index()])
    n = jax.local_device_count()
    while True:
        x = rng.normal(size=(n, exp.per_host_batch // n, 20)).astype(np.float32)
        yield x, (x.sum(-1) > 0).astype(np.int32)


def run(exp):
    jax.distributed.initialize()
    rng = jax.random.fold_in(jax.random.PRNGKey(exp.seed), jax.process_index())
    rng, init_rng = jax.random.split(rng)
    model = Classifier(classes=2)
    params = model.init(init_rng, jnp.zeros((1, 20)), train=False)["params"]
    state = TrainState.create(apply_fn=model.apply, params=params, tx=optax.adam(exp.lr))
    state = jax_utils.replicate(state)
    rngs = jax.random.split(rng, jax.local_device_count())
    data = local_batches(exp)
    for step in range(exp.steps):
        x, y = next(data)
        state, loss = train_step(state, x, y, rngs)
        if jax.process_index() == 0 and step % 10 == 0:
            print(f"step {step} loss {float(loss[0]):.4f}")


if __name__ == "__main__":
    run(Experiment())
