import jax
import numpy as np
import optax

from step import build_step


def main(steps=15):
    k1, k2 = jax.random.split(jax.random.key(2))
    params = {"w1": 0.2 * jax.random.normal(k1, (9, 20)), "w2": 0.2 * jax.random.normal(k2, (20, 3))}
    tx = optax.sgd(0.1, momentum=0.9)
    opt_state, step = tx.init(params), build_step(tx)
    rng = np.random.default_rng(0)
    n = jax.local_device_count()
    for _ in range(steps):
        x = rng.normal(size=(n, 24, 9)).astype(np.float32)
        params, opt_state, stats = step(params, opt_state, x, x[..., :3].argmax(-1))
    print({k: float(v) for k, v in stats.items()})


if __name__ == "__main__":
    main()
