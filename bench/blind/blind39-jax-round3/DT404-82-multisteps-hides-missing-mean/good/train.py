import functools

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils, struct


@struct.dataclass
class Learner:
    params: dict
    opt_state: optax.OptState


class Runner:
    def __init__(self, every=4, lr=3e-4):
        base = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(lr))
        self.tx = optax.MultiSteps(base, every_k_schedule=every)
        self.train = jax.pmap(self._train, axis_name="replica", donate_argnums=0)

    def start(self, key):
        q, k, v = jax.random.split(key, 3)
        params = {name: 0.1 * jax.random.normal(one, (24, 24)) for name, one in zip("qkv", (q, k, v))}
        return jax_utils.replicate(Learner(params, self.tx.init(params)))

    @staticmethod
    def loss(params, x):
        scores = jnp.einsum("btd,bsd->bts", x @ params["q"], x @ params["k"]) / 24**0.5
        return jnp.mean((jax.nn.softmax(scores) @ (x @ params["v"]) - x) ** 2)

    def _train(self, learner, x):
        value, grads = jax.value_and_grad(self.loss)(learner.params, x)
        value, grads = jax.lax.pmean((value, grads), "replica")
        updates, opt_state = self.tx.update(grads, learner.opt_state, learner.params)
        return Learner(optax.apply_updates(learner.params, updates), opt_state), value


def main(steps=400, per_device=8):
    runner = Runner()
    learner = runner.start(jax.random.key(0))
    n = jax.local_device_count()
    rng = np.random.default_rng(0)
    draw = functools.partial(rng.normal, size=(n, per_device, 10, 24))
    for step in range(steps):
        learner, value = runner.train(learner, draw().astype(np.float32))
        if step % 100 == 0:
            print(step, float(value[0]))


if __name__ == "__main__":
    main()
