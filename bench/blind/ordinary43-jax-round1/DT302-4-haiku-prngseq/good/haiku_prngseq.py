"""haiku: transform, PRNGSequence, state."""
from typing import NamedTuple

import haiku as hk
import jax
import jax.numpy as jnp
import numpy as np
import optax


class Batch(NamedTuple):
    inputs: np.ndarray
    targets: np.ndarray


class TrainingState(NamedTuple):
    params: hk.Params
    avg_params: hk.Params
    net_state: hk.State
    opt_state: optax.OptState


def net_fn(x, is_training):
    h = hk.Linear(32)(x)
    h = hk.BatchNorm(True, True, 0.9)(h, is_training)
    h = jax.nn.relu(h)
    if is_training:
        h = hk.dropout(hk.next_rng_key(), 0.1, h)
    return hk.Linear(1)(h)


network = hk.transform_with_state(net_fn)
optimiser = optax.adam(1e-3)


def loss_fn(params, net_state, rng, batch):
    out, net_state = network.apply(params, net_state, rng, batch.inputs, True)
    return jnp.mean((out[:, 0] - batch.targets) ** 2), net_state


@jax.jit
def update(state, rng, batch):
    grads, net_state = jax.grad(loss_fn, has_aux=True)(state.params, state.net_state, rng, batch)
    updates, opt_state = optimiser.update(grads, state.opt_state)
    params = optax.apply_updates(state.params, updates)
    avg = optax.incremental_update(params, state.avg_params, step_size=0.001)
    return TrainingState(params, avg, net_state, opt_state)


def data(seed, batch_size):
    rng = np.random.RandomState(seed)
    while True:
        x = rng.randn(batch_size, 8).astype(np.float32)
        yield Batch(x, x.sum(1))


def main():
    keys = hk.PRNGSequence(42)
    train, test = data(0, 64), data(1, 256)
    params, net_state = network.init(next(keys), next(train).inputs, True)
    state = TrainingState(params, params, net_state, optimiser.init(params))
    for step in range(1000):
        state = update(state, next(keys), next(train))
        if step % 100 == 0:
            batch = next(test)
            out, _ = network.apply(state.avg_params, state.net_state, None, batch.inputs, False)
            print(step, np.mean((np.asarray(out)[:, 0] - batch.targets) ** 2))


if __name__ == "__main__":
    main()
