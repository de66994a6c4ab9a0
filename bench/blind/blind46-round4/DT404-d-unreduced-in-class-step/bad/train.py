import jax
import numpy as np
import optax
from flax import jax_utils
from flax.training.common_utils import shard

from learner import Learner


def apply(params, x):
    return jax.nn.relu(x @ params["w1"]) @ params["w2"]


def main(batch=128, steps=100):
    k1, k2 = jax.random.split(jax.random.key(0))
    params = {"w1": 0.1 * jax.random.normal(k1, (20, 64)), "w2": 0.1 * jax.random.normal(k2, (64, 5))}
    learner = Learner(apply, optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(1e-3)))
    state = jax_utils.replicate(learner.init(params))
    rng = np.random.default_rng(0)
    for _ in range(steps):
        x = rng.normal(size=(batch, 20)).astype(np.float32)
        state, metrics = learner.step(state, shard({"x": x, "y": x[:, :5].argmax(-1)}))
    print(jax.tree.map(lambda m: float(m[0]), metrics))


if __name__ == "__main__":
    main()
