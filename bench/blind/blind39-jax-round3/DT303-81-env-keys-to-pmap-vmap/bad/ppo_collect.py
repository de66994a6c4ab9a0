"""Collects rollouts of many small environments on all local devices."""
import argparse

import jax
import jax.numpy as jnp


def reset(key):
    where, goal = jax.random.split(key)
    return {"pos": jax.random.uniform(where, (2,)), "goal": jax.random.uniform(goal, (2,)), "t": jnp.int32(0)}


def step(env, action):
    pos = jnp.clip(env["pos"] + 0.05 * action, 0.0, 1.0)
    reward = -jnp.linalg.norm(pos - env["goal"])
    return {**env, "pos": pos, "t": env["t"] + 1}, reward


def unroll(weights, env, key, length):
    def body(carry, k):
        env, total = carry
        obs = jnp.concatenate([env["pos"], env["goal"]])
        action = jnp.tanh(obs @ weights) + 0.1 * jax.random.normal(k, (2,))
        env, reward = step(env, action)
        return (env, total + reward), None

    (env, total), _ = jax.lax.scan(body, (env, 0.0), jax.random.split(key, length))
    return env, total


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--envs-per-device", type=int, default=256)
    parser.add_argument("--length", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=10)
    args = parser.parse_args()
    n = jax.local_device_count()
    weight_key, reset_key, act_key = jax.random.split(jax.random.key(0), 3)
    weights = jnp.stack([0.1 * jax.random.normal(weight_key, (4, 2))] * n)
    total_envs = n * args.envs_per_device
    reset_keys = jax.random.split(reset_key, total_envs)
    envs = jax.pmap(jax.vmap(reset))(reset_keys)
    collect = jax.pmap(jax.vmap(lambda w, e, k: unroll(w, e, k, args.length), in_axes=(None, 0, 0)))
    for r in range(args.rounds):
        keys = jax.random.split(jax.random.fold_in(act_key, r), total_envs).reshape(n, args.envs_per_device)
        envs, returns = collect(weights, envs, keys)
        print(r, float(returns.mean()))


if __name__ == "__main__":
    main()
