"""brax-like PPO: local devices, unroll, pmap with psum of gradients, host split of keys."""
import functools
import time
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import struct

_AXIS = "i"


@struct.dataclass
class Normalizer:
    count: jax.Array
    mean: jax.Array
    m2: jax.Array


@struct.dataclass
class TrainingState:
    params: Any
    opt: Any
    norm: Normalizer
    env_steps: jax.Array


class Step(NamedTuple):
    obs: jax.Array
    act: jax.Array
    rew: jax.Array


def update_normalizer(n, batch):
    batch = batch.reshape(-1, batch.shape[-1])
    count = n.count + jax.lax.psum(batch.shape[0], _AXIS)
    diff = batch - n.mean
    mean = n.mean + jax.lax.psum(diff.sum(0), _AXIS) / count
    m2 = n.m2 + jax.lax.psum((diff * (batch - mean)).sum(0), _AXIS)
    return Normalizer(count, mean, m2)


def normalize(n, obs):
    return (obs - n.mean) / jnp.sqrt(n.m2 / jnp.maximum(n.count, 1) + 1e-2)


def policy(params, obs, key):
    mean = jnp.tanh(obs @ params["w"])
    return mean + 0.1 * jax.random.normal(key, mean.shape)


def env_step(x, a):
    x = 0.95 * x + 0.1 * a
    return x, -jnp.sum(x**2, -1)


def _unpmap(tree):
    return jax.tree_util.tree_map(lambda x: x[0], tree)


def loss_fn(params, norm, data, key):
    obs = normalize(norm, data.obs)
    act = policy(params, obs, key)
    adv = data.rew - data.rew.mean()
    return jnp.mean(adv[..., None] * (act - data.act) ** 2)


def train(num_envs=16, unroll=5, iters=4, epochs=2, seed=0, max_devices=None):
    process_id, local = jax.process_index(), jax.local_device_count()
    if max_devices:
        local = min(local, max_devices)
    total = local * jax.process_count()
    assert num_envs % total == 0
    key = jax.random.PRNGKey(seed)
    global_key, local_key = jax.random.split(key)
    del key
    local_key = jax.random.fold_in(local_key, process_id)
    local_key, key_env, eval_key = jax.random.split(local_key, 3)
    tx = optax.adam(3e-4)
    params = {"w": jax.random.normal(global_key, (3, 3)) * 0.1}
    norm = Normalizer(jnp.zeros(()), jnp.zeros(3), jnp.ones(3))
    state = TrainingState(params, tx.init(params), norm, jnp.zeros((), jnp.int32))
    devices = jax.local_devices()[:local]
    state = jax.device_put_replicated(state, devices) if hasattr(jax, "device_put_replicated_x") else jax.tree_util.tree_map(
        lambda x: jnp.stack([x] * local), state
    )
    env = jax.random.normal(key_env, (local, num_envs // total, 3))

    def generate(state, env, key):
        def body(carry, k):
            env = carry
            act = policy(state.params, normalize(state.norm, env), k)
            nxt, rew = env_step(env, act)
            return nxt, Step(env, act, rew)

        return jax.lax.scan(body, env, jax.random.split(key, unroll))

    def minibatch(carry, _, data):
        params, opt, norm, key = carry
        key, key_loss = jax.random.split(key)
        loss, grads = jax.value_and_grad(loss_fn)(params, norm, data, key_loss)
        grads = jax.lax.pmean(grads, axis_name=_AXIS)
        upd, opt = tx.update(grads, opt)
        return (optax.apply_updates(params, upd), opt, norm, key), loss

    def training_step(carry, _):
        state, env, key = carry
        key_sgd, key_gen, new_key = jax.random.split(key, 3)
        env, data = generate(state, env, key_gen)
        norm = update_normalizer(state.norm, data.obs)
        (params, opt, _, _), loss = jax.lax.scan(
            functools.partial(minibatch, data=data), (state.params, state.opt, norm, key_sgd), (), length=epochs
        )
        steps = state.env_steps + unroll * num_envs
        return (TrainingState(params, opt, norm, steps), env, new_key), loss.mean()

    def training_epoch(state, env, key):
        (state, env, _), loss = jax.lax.scan(training_step, (state, env, key), (), length=3)
        return state, env, jax.lax.pmean(loss.mean(), _AXIS)

    training_epoch = jax.pmap(training_epoch, axis_name=_AXIS, devices=devices)
    for it in range(iters):
        t = time.time()
        epoch_key, local_key = jax.random.split(local_key)
        epoch_keys = jax.random.split(epoch_key, local)
        state, env, loss = training_epoch(state, env, epoch_keys)
        if process_id == 0:
            steps = int(_unpmap(state.env_steps))
            print(it, steps, float(_unpmap(loss)), f"{time.time() - t:.2f}s")
    if process_id == 0:
        final = _unpmap(state)
        x = jax.random.normal(eval_key, (4, 3))
        print(np.asarray(policy(final.params, normalize(final.norm, x), jax.random.PRNGKey(0))).mean())
    return _unpmap(state.params)


if __name__ == "__main__":
    train()
