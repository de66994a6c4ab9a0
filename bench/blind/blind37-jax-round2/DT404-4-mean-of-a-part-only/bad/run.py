import argparse

import jax
import numpy as np
from flax import jax_utils
from flax.training.common_utils import shard

from steps import TwoHeads


def batches(size, steps, seed):
    draw = np.random.default_rng(seed)
    for _ in range(steps):
        x = draw.normal(size=(size, 32)).astype(np.float32)
        yield shard({"x": x, "label": x[:, :5].argmax(-1), "score": x.sum(-1)})


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--steps", type=int, default=400)
    args = parser.parse_args()

    task = TwoHeads(axis="b")
    params, opt = jax_utils.replicate(task.init(jax.random.PRNGKey(10)))
    step = jax.pmap(task, axis_name="b", donate_argnums=(0, 1))
    for i, batch in enumerate(batches(args.batch, args.steps, seed=0)):
        params, opt, value = step(params, opt, batch)
        if i % 100 == 0:
            print(i, float(value[0]))
    np.savez("heads.npz", **jax.device_get(jax_utils.unreplicate(params["heads"])))


if __name__ == "__main__":
    main()
