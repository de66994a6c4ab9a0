import functools
from typing import NamedTuple

import haiku as hk
import jax
import jax.numpy as jnp
import numpy as np
import optax


class Learner(NamedTuple):
    params: hk.Params
    opt_state: optax.OptState
    step: jax.Array


def network(x):
    return hk.nets.MLP([64, 64, 1], activation=jnp.tanh)(x)[:, 0]


net = hk.without_apply_rng(hk.transform(network))
optimizer = optax.chain(optax.clip_by_global_norm(1.0), optax.sgd(1e-2, momentum=0.9))


def loss_fn(params, x, y):
    return jnp.mean(optax.huber_loss(net.apply(params, x), y))


@functools.partial(jax.pmap, axis_name="i", donate_argnums=0)
def update(learner, x, y):
    loss, grads = jax.value_and_grad(loss_fn)(learner.params, x, y)
    grads = jax.lax.psum(grads, axis_name="i")
    updates, opt_state = optimizer.update(grads, learner.opt_state)
    params = optax.apply_updates(learner.params, updates)
    return Learner(params, opt_state, learner.step + 1), jax.lax.pmean(loss, "i")


def main(steps=300):
    devices = jax.local_devices()
    rng = np.random.default_rng(0)
    params = net.init(jax.random.PRNGKey(0), jnp.zeros((1, 4)))
    learner = Learner(params, optimizer.init(params), jnp.zeros((), jnp.int32))
    learner = jax.device_put_replicated(learner, devices)
    for _ in range(steps):
        x = rng.normal(size=(len(devices), 32, 4)).astype(np.float32)
        learner, loss = update(learner, x, np.sin(x).sum(-1))
    print("final", float(loss[0]))


if __name__ == "__main__":
    main()
