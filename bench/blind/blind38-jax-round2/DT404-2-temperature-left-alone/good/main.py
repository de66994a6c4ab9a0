import jax
import jax.numpy as jnp
import numpy as np
from flax import jax_utils

from agent import ACTOR_TX, ALPHA_TX, CRITIC_TX, Agent, learn


def layers(key, sizes):
    k1, k2 = jax.random.split(key)
    return {"w": jax.random.normal(k1, sizes[:2]) * 0.1, "v": jax.random.normal(k2, sizes[1:]) * 0.1}


def create(key, obs=6, act=2):
    k_actor, k_critic = jax.random.split(key)
    actor, critic = layers(k_actor, (obs, 64, 2 * act)), layers(k_critic, (obs + act, 64, 1))
    log_alpha = jnp.zeros(())
    return Agent(actor, critic, log_alpha, ACTOR_TX.init(actor), CRITIC_TX.init(critic), ALPHA_TX.init(log_alpha))


def replay(n, rows, seed):
    rng = np.random.default_rng(seed)
    while True:
        obs = rng.normal(size=(n, rows, 6)).astype(np.float32)
        action = rng.normal(size=(n, rows, 2)).astype(np.float32)
        yield {"obs": obs, "action": action, "next": 0.9 * obs, "reward": -np.square(action).sum(-1)}


def main(steps=60, rows=32):
    n = jax.local_device_count()
    key, init_key = jax.random.split(jax.random.key(0))
    agent = jax_utils.replicate(create(init_key))
    p_learn = jax.pmap(learn, axis_name="learners", donate_argnums=0)
    for step, batch in zip(range(steps), replay(n, rows, 0)):
        key, sub = jax.random.split(key)
        agent, metrics = p_learn(agent, batch, jax.random.split(sub, n))
        if step % 20 == 0:
            print(step, {name: float(value[0]) for name, value in metrics.items()})
    return jax_utils.unreplicate(agent)


if __name__ == "__main__":
    main()
