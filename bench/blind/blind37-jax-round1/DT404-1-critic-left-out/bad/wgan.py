import functools

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import struct
from flax.jax_utils import replicate, unreplicate

from nets import Critic, Generator

gen, critic = Generator(), Critic()
gen_tx, critic_tx = optax.adam(1e-4, b1=0.5), optax.adam(4e-4, b1=0.5)


@struct.dataclass
class Players:
    gen: dict
    critic: dict
    gen_opt: optax.OptState
    critic_opt: optax.OptState


def create(key):
    kg, kc = jax.random.split(key)
    g = gen.init(kg, jnp.zeros((1, 8)))
    c = critic.init(kc, jnp.zeros((1, 16)))
    return Players(gen=g, critic=c, gen_opt=gen_tx.init(g), critic_opt=critic_tx.init(c))


def critic_turn(players, real, key):
    fake = gen.apply(players.gen, jax.random.normal(key, (real.shape[0], 8)))

    def loss_fn(p):
        return jnp.mean(nn_hinge(critic.apply(p, real), 1.0) + nn_hinge(critic.apply(p, fake), -1.0))

    loss, grads = jax.value_and_grad(loss_fn)(players.critic)
    updates, opt = critic_tx.update(grads, players.critic_opt)
    return players.replace(critic=optax.apply_updates(players.critic, updates), critic_opt=opt), loss


def nn_hinge(score, sign):
    return jax.nn.relu(1.0 - sign * score)


def gen_turn(players, n, key):
    z = jax.random.normal(key, (n, 8))

    def loss_fn(p):
        return -critic.apply(players.critic, gen.apply(p, z)).mean()

    loss, grads = jax.value_and_grad(loss_fn)(players.gen)
    grads = jax.lax.pmean(grads, "dev")
    updates, opt = gen_tx.update(grads, players.gen_opt)
    return players.replace(gen=optax.apply_updates(players.gen, updates), gen_opt=opt), loss


@functools.partial(jax.pmap, axis_name="dev", donate_argnums=(0,))
def play(players, real, key):
    *critic_keys, gen_key = jax.random.split(key, 3)
    for one in critic_keys:
        players, c_loss = critic_turn(players, real, one)
    players, g_loss = gen_turn(players, real.shape[0], gen_key)
    return players, jax.lax.pmean({"critic": c_loss, "gen": g_loss}, "dev")


def main(steps=300, per_device=32):
    n = jax.local_device_count()
    draw = np.random.default_rng(3)
    key = jax.random.key(0)
    key, init_key = jax.random.split(key)
    players = replicate(create(init_key))
    for step in range(steps):
        key, sub = jax.random.split(key)
        real = draw.normal(loc=2.0, size=(n, per_device, 16)).astype(np.float32)
        players, losses = play(players, real, jax.random.split(sub, n))
        if step % 100 == 0:
            print(step, {k: float(v) for k, v in unreplicate(losses).items()})


if __name__ == "__main__":
    main()
