"""Self play in pmap, replay on the host, learner in pmap; keys per device renewed each iteration."""
import collections
import random
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import optax

devices = jax.local_devices()
num_devices = len(devices)
optimizer = optax.adam(1e-3)


def forward(params, state):
    h = jnp.tanh(state @ params["w"])
    return h @ params["pi"], (h @ params["v"])[..., 0]


def search(params, state, key, sims=4):
    prior, _ = forward(params, state)

    def simulate(counts, key):
        noise_key, pick_key = jax.random.split(key)
        logits = prior + 0.3 * jax.random.gumbel(noise_key, prior.shape) - 0.1 * counts
        a = jax.random.categorical(pick_key, logits)
        return counts + jax.nn.one_hot(a, prior.shape[-1]), None

    counts, _ = jax.lax.scan(simulate, jnp.zeros_like(prior), jax.random.split(key, sims))
    return counts / sims


@partial(jax.pmap, in_axes=(None, 0))
def selfplay(params, key):
    batch = 4

    def step(carry, key):
        state = carry
        search_key = act_key = reset_key = key
        pi = search(params, state, search_key)
        action = jax.random.categorical(act_key, jnp.log(pi + 1e-6))
        nxt = state + jax.nn.one_hot(action, 3)
        done = nxt.max(-1) > 3
        fresh = jax.random.uniform(reset_key, state.shape)
        return jnp.where(done[:, None], fresh, nxt), (state, pi, done.astype(jnp.float32))

    start_key, loop_key = jax.random.split(key)
    start = jax.random.uniform(start_key, (batch, 3))
    _, traj = jax.lax.scan(step, start, jax.random.split(loop_key, 8))
    return traj


@partial(jax.pmap, axis_name="d", in_axes=(None, None, 0), out_axes=(None, None, 0))
def learn(params, opt_state, batch):
    def loss_fn(p):
        logits, v = forward(p, batch[0])
        return optax.softmax_cross_entropy(logits, batch[1]).mean() + jnp.mean((v - batch[2]) ** 2)

    loss, grads = jax.value_and_grad(loss_fn)(params)
    grads = jax.lax.pmean(grads, "d")
    updates, opt_state = optimizer.update(grads, opt_state)
    return optax.apply_updates(params, updates), opt_state, loss


def main(iterations=3):
    key = jax.random.PRNGKey(0)
    key, *init_keys = jax.random.split(key, 4)
    shapes = {"w": (3, 8), "pi": (8, 3), "v": (8, 1)}
    params = {n: 0.1 * jax.random.normal(k, s) for k, (n, s) in zip(init_keys, shapes.items())}
    opt_state = optimizer.init(params)
    replay = collections.deque(maxlen=1000)
    rng = random.Random(0)
    for it in range(iterations):
        key, sub = jax.random.split(key)
        traj = selfplay(params, jax.random.split(sub, num_devices))
        flat = [np.asarray(t).reshape((-1,) + t.shape[3:]) for t in traj]
        replay.extend(zip(*flat))
        for _ in range(4):
            items = rng.sample(list(replay), 8 * num_devices)
            batch = [np.stack(c).reshape((num_devices, 8) + np.shape(c[0])) for c in zip(*items)]
            params, opt_state, loss = learn(params, opt_state, batch)
        print(it, float(loss.mean()))


if __name__ == "__main__":
    main()
