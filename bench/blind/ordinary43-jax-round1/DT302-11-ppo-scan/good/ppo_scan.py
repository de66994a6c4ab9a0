"""PPO in the purejaxrl manner: everything in one jit, runner state through scan."""
from typing import NamedTuple

import jax
import jax.numpy as jnp
import optax
from flax import linen as nn
from flax.training.train_state import TrainState


class Transition(NamedTuple):
    obs: jax.Array
    action: jax.Array
    reward: jax.Array
    done: jax.Array
    value: jax.Array
    log_prob: jax.Array


class ActorCritic(nn.Module):
    n_actions: int

    @nn.compact
    def __call__(self, x):
        h = nn.tanh(nn.Dense(16)(x))
        return nn.Dense(self.n_actions)(h), nn.Dense(1)(h).squeeze(-1)


def env_reset(key):
    return jax.random.uniform(key, (4,), minval=-0.05, maxval=0.05)


def env_step(key, state, action):
    step_key, reset_key = jax.random.split(key)
    drift = jnp.where(action == 1, 0.1, -0.1)
    nxt = state + drift + 0.01 * jax.random.normal(step_key, state.shape)
    done = jnp.abs(nxt).max() > 1.0
    return jnp.where(done, env_reset(reset_key), nxt), 1.0 - done.astype(jnp.float32), done


def make_train(config):
    n_updates = config["TOTAL"] // config["STEPS"] // config["ENVS"]
    mb = config["ENVS"] * config["STEPS"] // config["MINIBATCHES"]

    def train(rng):
        net = ActorCritic(2)
        rng, _rng = jax.random.split(rng)
        params = net.init(_rng, jnp.zeros((4,)))
        tx = optax.chain(optax.clip_by_global_norm(0.5), optax.adam(config["LR"]))
        state = TrainState.create(apply_fn=net.apply, params=params, tx=tx)
        rng, _rng = jax.random.split(rng)
        obs = jax.vmap(env_reset)(jax.random.split(_rng, config["ENVS"]))

        def update(runner, _):
            def step(runner, _):
                state, obs, rng = runner
                rng, _rng = jax.random.split(rng)
                logits, value = net.apply(state.params, obs)
                action = jax.random.categorical(_rng, logits)
                logp = jnp.take_along_axis(jax.nn.log_softmax(logits), action[:, None], 1)[:, 0]
                rng, _rng = jax.random.split(rng)
                step_keys = jax.random.split(_rng, config["ENVS"])
                nxt, reward, done = jax.vmap(env_step)(step_keys, obs, action)
                return (state, nxt, rng), Transition(obs, action, reward, done, value, logp)

            runner, traj = jax.lax.scan(step, runner, None, config["STEPS"])
            state, obs, rng = runner
            _, last = net.apply(state.params, obs)

            def gae(carry, t):
                adv, nxt = carry
                delta = t.reward + 0.99 * nxt * (1 - t.done) - t.value
                adv = delta + 0.95 * 0.99 * (1 - t.done) * adv
                return (adv, t.value), adv

            _, advs = jax.lax.scan(gae, (jnp.zeros_like(last), last), traj, reverse=True)
            targets = advs + traj.value

            def epoch(carry, _):
                state, rng = carry
                rng, _rng = jax.random.split(rng)
                perm = jax.random.permutation(_rng, config["ENVS"] * config["STEPS"])
                flat = jax.tree_util.tree_map(lambda x: x.reshape((-1,) + x.shape[2:]), (traj, advs, targets))
                flat = jax.tree_util.tree_map(lambda x: x[perm].reshape((-1, mb) + x.shape[1:]), flat)

                def minibatch(state, data):
                    def loss_fn(params, t, adv, target):
                        logits, value = net.apply(params, t.obs)
                        lp = jnp.take_along_axis(jax.nn.log_softmax(logits), t.action[:, None], 1)[:, 0]
                        ratio = jnp.exp(lp - t.log_prob)
                        adv = (adv - adv.mean()) / (adv.std() + 1e-8)
                        pg = -jnp.minimum(ratio * adv, jnp.clip(ratio, 0.8, 1.2) * adv).mean()
                        return pg + 0.5 * ((value - target) ** 2).mean()

                    loss, grads = jax.value_and_grad(loss_fn)(state.params, *data)
                    return state.apply_gradients(grads=grads), loss

                state, losses = jax.lax.scan(minibatch, state, flat)
                return (state, rng), losses

            (state, rng), losses = jax.lax.scan(epoch, (state, rng), None, config["EPOCHS"])
            return (state, obs, rng), losses.mean()

        rng, _rng = jax.random.split(rng)
        runner, losses = jax.lax.scan(update, (state, obs, _rng), None, n_updates)
        return {"runner": runner, "loss": losses}

    return train


if __name__ == "__main__":
    config = {"LR": 3e-4, "ENVS": 8, "STEPS": 16, "TOTAL": 1024, "EPOCHS": 2, "MINIBATCHES": 4}
    rng = jax.random.PRNGKey(30)
    rngs = jax.random.split(rng, 3)
    out = jax.jit(jax.vmap(make_train(config)))(rngs)
    print(out["loss"].shape)
