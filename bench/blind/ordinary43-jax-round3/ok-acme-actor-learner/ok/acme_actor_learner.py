"""Actor threads and a learner: each actor has its own key, parameters through a variable client."""
import threading
import queue
from typing import Iterator

import jax
import jax.numpy as jnp
import numpy as np
import optax


class VariableSource:
    def __init__(self, params):
        self._lock = threading.Lock()
        self._params = params

    def get(self):
        with self._lock:
            return self._params

    def set(self, params):
        with self._lock:
            self._params = jax.device_get(params)


class Actor:
    def __init__(self, policy, key, source, out, steps):
        self._policy = jax.jit(policy)
        self._key = key
        self._source = source
        self._out = out
        self._steps = steps

    def run(self):
        obs = np.zeros(4, np.float32)
        for _ in range(self._steps):
            self._key, act_key, env_key = jax.random.split(self._key, 3)
            action = self._policy(self._source.get(), act_key, obs)
            nxt = np.asarray(0.9 * obs + jax.random.normal(env_key, (4,)))
            self._out.put((obs, int(action), float(nxt.sum())))
            obs = nxt


class Learner:
    def __init__(self, params, iterator: Iterator, source):
        self._tx = optax.adam(1e-3)
        self._params = params
        self._opt = self._tx.init(params)
        self._iterator = iterator
        self._source = source

        @jax.jit
        def sgd(params, opt, obs, act, rew):
            def loss(p):
                logp = jax.nn.log_softmax(obs @ p)
                return -jnp.mean(logp[jnp.arange(len(act)), act] * rew)

            value, g = jax.value_and_grad(loss)(params)
            u, opt = self._tx.update(g, opt)
            return optax.apply_updates(params, u), opt, value

        self._sgd = sgd

    def step(self):
        self._params, self._opt, loss = self._sgd(self._params, self._opt, *next(self._iterator))
        self._source.set(self._params)
        return float(loss)


def batches(q, n):
    while True:
        items = [q.get() for _ in range(n)]
        yield tuple(np.stack(c) for c in zip(*items))


def policy(params, key, obs):
    return jax.random.categorical(key, obs @ params)


def main(num_actors=3):
    key = jax.random.PRNGKey(1)
    init_key, actor_key = jax.random.split(key)
    params = jax.random.normal(init_key, (4, 2)) * 0.1
    source, q = VariableSource(params), queue.Queue(maxsize=64)
    actors = [Actor(policy, k, source, q, 32) for k in jax.random.split(actor_key, num_actors)]
    threads = [threading.Thread(target=a.run, daemon=True) for a in actors]
    for t in threads:
        t.start()
    learner = Learner(params, batches(q, 16), source)
    for _ in range(6):
        print(learner.step())
    for t in threads:
        t.join()


if __name__ == "__main__":
    main()
