import jax
import numpy as np
import optax
from flax import jax_utils

from gan import Players, critic_loss, gen_loss, init

GEN, CRITIC = optax.adam(1e-4, b1=0.5), optax.adam(4e-4, b1=0.5)


def play(players, real, key):
    critic_key, gen_key = jax.random.split(key)
    z = jax.random.normal(critic_key, (real.shape[0], 4))
    c_loss, c_grads = jax.value_and_grad(critic_loss)(players.critic, players.gen, real, z)
    updates, critic_opt = CRITIC.update(c_grads, players.critic_opt)
    critic = optax.apply_updates(players.critic, updates)

    z = jax.random.normal(gen_key, (real.shape[0], 4))
    g_loss, g_grads = jax.value_and_grad(gen_loss)(players.gen, critic, z)
    g_grads = jax.lax.pmean(g_grads, "gpus")
    updates, gen_opt = GEN.update(g_grads, players.gen_opt)
    gen = optax.apply_updates(players.gen, updates)
    losses = jax.lax.pmean({"critic": c_loss, "gen": g_loss}, "gpus")
    return Players(gen, critic, gen_opt, critic_opt), losses


def main(steps=15):
    init_key, key = jax.random.split(jax.random.PRNGKey(2))
    gen, critic = init(init_key)
    players = jax_utils.replicate(Players(gen, critic, GEN.init(gen), CRITIC.init(critic)))
    p_play = jax.pmap(play, axis_name="gpus", donate_argnums=(0,))
    n = jax.local_device_count()
    rng = np.random.default_rng(0)
    for i in range(steps):
        real = rng.normal(1.0, 0.5, size=(n, 16, 6)).astype(np.float32)
        players, losses = p_play(players, real, jax.random.split(jax.random.fold_in(key, i), n))
    print({name: float(loss[0]) for name, loss in losses.items()})


if __name__ == "__main__":
    main()
