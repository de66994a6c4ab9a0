import jax
import jax.numpy as jnp
import numpy as np
from flax import jax_utils

import updates


def main(steps=8):
    jax.distributed.initialize()
    actor, critic = jnp.zeros((5,)), jnp.zeros((5,))
    actor_opt = jax_utils.replicate(updates.ACTOR.init(actor))
    critic_opt = jax_utils.replicate(updates.CRITIC.init(critic))
    actor, critic = jax_utils.replicate((actor, critic))
    rng = np.random.default_rng([1, jax.process_index()])
    for _ in range(steps):
        obs = rng.normal(size=(jax.local_device_count(), 8, 5)).astype(np.float32)
        returns = obs.sum(-1)
        critic, critic_opt, loss = updates.critic_update(critic, critic_opt, obs, returns)
        advantage = np.asarray(returns - np.einsum("dbi,i->db", obs, np.asarray(critic)[0]))
        actor, actor_opt = updates.actor_update(actor, actor_opt, obs, advantage)
    if jax.process_index() == 0:
        print("critic", float(loss[0]))


if __name__ == "__main__":
    main()
