"""PPO in one file, pure JAX: environments vmapped on a device, devices pmapped, everything in one update function."""

import argparse
import pickle
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, Sequence

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax
import yaml
from flax import jax_utils
from flax.linen.initializers import constant, orthogonal
from flax.training.train_state import TrainState


class EnvState(NamedTuple):
    pos: jax.Array
    vel: jax.Array
    time: jax.Array


class PointMass:
    """Push a point to the origin; an episode has a fixed number of steps."""

    num_actions, obs_size, horizon = 5, 4, 100
    moves = np.array([[0, 0], [1, 0], [-1, 0], [0, 1], [0, -1]], np.float32)

    def reset(self, key):
        pos = jax.random.uniform(key, (2,), minval=-1.0, maxval=1.0)
        state = EnvState(pos, jnp.zeros(2), jnp.zeros((), jnp.int32))
        return self.observe(state), state

    def observe(self, state):
        return jnp.concatenate([state.pos, state.vel])

    def step(self, key, state, action):
        wind_key, reset_key = jax.random.split(key)
        vel = 0.9 * state.vel + 0.05 * jnp.asarray(self.moves)[action] + 0.01 * jax.random.normal(wind_key, (2,))
        state = EnvState(state.pos + vel, vel, state.time + 1)
        reward = -jnp.linalg.norm(state.pos)
        done = state.time >= self.horizon
        obs_re, state_re = self.reset(reset_key)
        state = jax.tree.map(lambda a, b: jnp.where(done, a, b), state_re, state)
        return jnp.where(done, obs_re, self.observe(state)), state, reward, done


class ActorCritic(nn.Module):
    action_dim: int
    hidden: Sequence[int] = (64, 64)

    @nn.compact
    def __call__(self, x):
        a = c = x
        for width in self.hidden:
            a = nn.tanh(nn.Dense(width, kernel_init=orthogonal(np.sqrt(2)), bias_init=constant(0.0))(a))
            c = nn.tanh(nn.Dense(width, kernel_init=orthogonal(np.sqrt(2)), bias_init=constant(0.0))(c))
        logits = nn.Dense(self.action_dim, kernel_init=orthogonal(0.01))(a)
        value = nn.Dense(1, kernel_init=orthogonal(1.0))(c)
        return logits, value[..., 0]


class Transition(NamedTuple):
    done: jax.Array
    action: jax.Array
    value: jax.Array
    reward: jax.Array
    log_prob: jax.Array
    obs: jax.Array


def log_prob_of(logits, action):
    return jnp.take_along_axis(jax.nn.log_softmax(logits), action[..., None], axis=-1)[..., 0]


def make_train(config):
    env = PointMass()
    network = ActorCritic(env.num_actions)
    n_devices = jax.local_device_count()
    envs_per_device = config["NUM_ENVS"] // n_devices
    num_updates = config["TOTAL_TIMESTEPS"] // config["NUM_STEPS"] // config["NUM_ENVS"]
    steps_of_optimizer = num_updates * config["UPDATE_EPOCHS"] * config["NUM_MINIBATCHES"]

    def init_state(key):
        params = network.init(key, jnp.zeros(env.obs_size))
        tx = optax.chain(
            optax.clip_by_global_norm(config["MAX_GRAD_NORM"]),
            optax.adam(optax.linear_schedule(config["LR"], 0.0, steps_of_optimizer), eps=1e-5),
        )
        return TrainState.create(apply_fn=network.apply, params=params, tx=tx)

    def init_envs(key):
        return jax.vmap(env.reset)(jax.random.split(key, envs_per_device))

    def env_step(runner_state, _):
        state, env_state, last_obs, key = runner_state
        key, act_key, step_key = jax.random.split(key, 3)
        logits, value = network.apply(state.params, last_obs)
        action = jax.random.categorical(act_key, logits)
        step_keys = jax.random.split(step_key, envs_per_device)
        obs, env_state, reward, done = jax.vmap(env.step)(step_keys, env_state, action)
        transition = Transition(done, action, value, reward, log_prob_of(logits, action), last_obs)
        return (state, env_state, obs, key), transition

    def calculate_gae(traj, last_val):
        def back(carry, transition):
            gae, next_value = carry
            not_done = 1.0 - transition.done
            delta = transition.reward + config["GAMMA"] * next_value * not_done - transition.value
            gae = delta + config["GAMMA"] * config["GAE_LAMBDA"] * not_done * gae
            return (gae, transition.value), gae

        _, advantages = jax.lax.scan(back, (jnp.zeros_like(last_val), last_val), traj, reverse=True)
        return advantages, advantages + traj.value

    def loss_fn(params, traj, gae, targets):
        logits, value = network.apply(params, traj.obs)
        clipped = traj.value + (value - traj.value).clip(-config["CLIP_EPS"], config["CLIP_EPS"])
        value_loss = 0.5 * jnp.maximum((value - targets) ** 2, (clipped - targets) ** 2).mean()
        ratio = jnp.exp(log_prob_of(logits, traj.action) - traj.log_prob)
        gae = (gae - gae.mean()) / (gae.std() + 1e-8)
        bounded = jnp.clip(ratio, 1.0 - config["CLIP_EPS"], 1.0 + config["CLIP_EPS"])
        actor_loss = -jnp.minimum(ratio * gae, bounded * gae).mean()
        entropy = -(jax.nn.softmax(logits) * jax.nn.log_softmax(logits)).sum(-1).mean()
        return actor_loss + config["VF_COEF"] * value_loss - config["ENT_COEF"] * entropy

    def update_minibatch(state, minibatch):
        loss, grads = jax.value_and_grad(loss_fn)(state.params, *minibatch)
        grads = jax.lax.pmean(grads, axis_name="devices")
        return state.apply_gradients(grads=grads), loss

    def update_epoch(carry, _):
        state, traj, advantages, targets, key = carry
        key, perm_key = jax.random.split(key)
        size = config["NUM_STEPS"] * envs_per_device
        permutation = jax.random.permutation(perm_key, size)
        batch = jax.tree.map(lambda x: x.reshape((size,) + x.shape[2:]), (traj, advantages, targets))
        shuffled = jax.tree.map(lambda x: jnp.take(x, permutation, axis=0), batch)
        minibatches = jax.tree.map(lambda x: x.reshape((config["NUM_MINIBATCHES"], -1) + x.shape[1:]), shuffled)
        state, losses = jax.lax.scan(update_minibatch, state, minibatches)
        return (state, traj, advantages, targets, key), losses

    @partial(jax.pmap, axis_name="devices", donate_argnums=(0,))
    def update_step(runner_state):
        runner_state, traj = jax.lax.scan(env_step, runner_state, None, config["NUM_STEPS"])
        state, env_state, last_obs, key = runner_state
        _, last_val = network.apply(state.params, last_obs)
        advantages, targets = calculate_gae(traj, last_val)
        carry, losses = jax.lax.scan(update_epoch, (state, traj, advantages, targets, key), None, config["UPDATE_EPOCHS"])
        state, _, _, _, key = carry
        metrics = {"loss": losses.mean(), "reward": traj.reward.mean()}
        return (state, env_state, last_obs, key), jax.lax.pmean(metrics, axis_name="devices")

    def train(key, save_every, folder):
        init_key, env_key, run_key = jax.random.split(key, 3)
        state = jax_utils.replicate(init_state(init_key))
        obs, env_state = jax.pmap(init_envs)(jax.random.split(env_key, n_devices))
        runner_state = (state, env_state, obs, jax.random.split(run_key, n_devices))
        history = []
        for update in range(num_updates):
            runner_state, metrics = update_step(runner_state)
            history.append({k: float(v[0]) for k, v in metrics.items()})
            if save_every and (update + 1) % save_every == 0:
                params = jax.device_get(jax_utils.unreplicate(runner_state[0].params))
                (Path(folder) / f"params_{update + 1}.pkl").write_bytes(pickle.dumps(params))
        return runner_state, history

    return train


def evaluate(params, key, episodes=16):
    env = PointMass()
    network = ActorCritic(env.num_actions)

    def play(key):
        reset_key, key = jax.random.split(key)
        obs, state = env.reset(reset_key)

        def body(carry, step_key):
            obs, state, total = carry
            logits, _ = network.apply(params, obs)
            obs, state, reward, _ = env.step(step_key, state, logits.argmax())
            return (obs, state, total + reward), None

        (_, _, total), _ = jax.lax.scan(body, (obs, state, 0.0), jax.random.split(key, env.horizon - 1))
        return total

    return jax.vmap(play)(jax.random.split(key, episodes)).mean()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--config", default="")
    parser.add_argument("--seed", type=int, default=30)
    parser.add_argument("--save_every", type=int, default=0)
    parser.add_argument("--folder", default="checkpoints")
    args = parser.parse_args()
    config: dict[str, Any] = {
        "LR": 2.5e-4,
        "NUM_ENVS": 64,
        "NUM_STEPS": 32,
        "TOTAL_TIMESTEPS": 40_960,
        "UPDATE_EPOCHS": 4,
        "NUM_MINIBATCHES": 4,
        "GAMMA": 0.99,
        "GAE_LAMBDA": 0.95,
        "CLIP_EPS": 0.2,
        "ENT_COEF": 0.01,
        "VF_COEF": 0.5,
        "MAX_GRAD_NORM": 0.5,
    }
    if args.config:
        config.update(yaml.safe_load(Path(args.config).read_text()))
    Path(args.folder).mkdir(parents=True, exist_ok=True)
    train_key, eval_key = jax.random.split(jax.random.PRNGKey(args.seed))
    runner_state, history = make_train(config)(train_key, args.save_every, args.folder)
    params = jax_utils.unreplicate(runner_state[0].params)
    print("last reward", history[-1]["reward"], "evaluation", float(evaluate(params, eval_key)))


if __name__ == "__main__":
    main()
