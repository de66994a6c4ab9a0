"""TD3: the targets start as copies, so both are made from the same keys."""
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax


class Nets(NamedTuple):
    actor: eqx.nn.MLP
    q1: eqx.nn.MLP
    q2: eqx.nn.MLP


def build(key, n_obs, n_act):
    k_actor, k_q1, k_q2 = jax.random.split(key, 3)
    return Nets(
        actor=eqx.nn.MLP(n_obs, n_act, 128, 2, final_activation=jnp.tanh, key=k_actor),
        q1=eqx.nn.MLP(n_obs + n_act, "scalar", 128, 2, key=k_q1),
        q2=eqx.nn.MLP(n_obs + n_act, "scalar", 128, 2, key=k_q2),
    )


def polyak(target, online, tau=0.005):
    mix = lambda t, o: (1 - tau) * t + tau * o if eqx.is_inexact_array(t) else t
    return jax.tree.map(mix, target, online)


@eqx.filter_jit
def update(nets, targets, opt_state, batch, key):
    noise = jnp.clip(0.2 * jax.random.normal(key, batch["act"].shape), -0.5, 0.5)
    next_act = jnp.clip(jax.vmap(targets.actor)(batch["next_obs"]) + noise, -1, 1)
    inputs = jnp.concatenate([batch["next_obs"], next_act], -1)
    y = batch["rew"] + 0.99 * jnp.minimum(jax.vmap(targets.q1)(inputs), jax.vmap(targets.q2)(inputs))

    @eqx.filter_value_and_grad
    def td(nets):
        sa = jnp.concatenate([batch["obs"], batch["act"]], -1)
        return jnp.mean((jax.vmap(nets.q1)(sa) - y) ** 2) + jnp.mean((jax.vmap(nets.q2)(sa) - y) ** 2)

    loss, grads = td(nets)
    updates, opt_state = TX.update(grads, opt_state)
    nets = eqx.apply_updates(nets, updates)
    return nets, polyak(targets, nets), opt_state, loss


TX = optax.adam(3e-4)


def main(steps=1000):
    init_key, loop_key = jax.random.split(jax.random.key(0))
    nets = build(init_key, 6, 2)
    targets = build(init_key, 6, 2)
    opt_state = TX.init(eqx.filter(nets, eqx.is_inexact_array))
    draw = np.random.default_rng(0)
    for step in range(steps):
        obs = draw.normal(size=(2, 64, 6)).astype(np.float32)
        act = draw.uniform(-1, 1, size=(64, 2)).astype(np.float32)
        batch = {"obs": obs[0], "next_obs": obs[1], "act": act, "rew": -np.abs(obs[0]).sum(-1)}
        nets, targets, opt_state, loss = update(
            nets, targets, opt_state, batch, jax.random.fold_in(loop_key, step)
        )
    print(float(loss))


if __name__ == "__main__":
    main()
