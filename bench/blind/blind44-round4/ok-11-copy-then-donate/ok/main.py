import jax
import jax.numpy as jnp
import numpy as np

from avg.ema import Ema
from avg.step import step, tx


def main(steps=200, every=50):
    params = {"w": jnp.zeros(4), "b": jnp.zeros(())}
    opt_state, ema = tx.init(params), Ema(params, 0.99)
    kept = []
    rng = np.random.default_rng(0)
    for i in range(1, steps + 1):
        params, opt_state = step(params, opt_state, rng.normal(size=(32, 4)).astype(np.float32))
        ema.update(params)
        if i % every == 0:
            kept.append(jax.device_get(params))
    moved = [float(np.abs(a["w"] - b["w"]).max()) for a, b in zip(kept, kept[1:])]
    print(moved, ema.params["b"])


if __name__ == "__main__":
    main()
