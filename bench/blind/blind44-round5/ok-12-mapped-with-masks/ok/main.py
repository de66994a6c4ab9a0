import jax
import numpy as np
from flax import jax_utils

from pad.batches import padded
from pad.steps import evaluate, train


def main(epochs=3):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(1000, 5)).astype(np.float32)
    y = x.sum(-1)
    w = jax_utils.replicate(np.zeros(5, np.float32))
    for _ in range(epochs):
        for a, b, mask in padded(x, y, 64):
            w = train(w, a, b, mask)
    error = count = 0.0
    for a, b, mask in padded(x[:333], y[:333], 64):
        e, c = evaluate(w, a, b, mask)
        error, count = error + float(e[0]), count + float(c[0])
    print(error / count)


if __name__ == "__main__":
    main()
