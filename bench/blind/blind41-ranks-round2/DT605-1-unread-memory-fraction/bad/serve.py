import os

os.environ.update(
    {
        "TF_CPP_MIN_LOG_LEVEL": "2",
        "XLA_PYTHON_CLIENT_MEMORY_FRACTION": "0.6",
    }
)

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402


@jax.jit
def score(weight, x):
    return jax.nn.softmax(x @ weight, axis=-1)


def main():
    key = jax.random.key(0)
    weight_key, data_key = jax.random.split(key)
    weight = jax.random.normal(weight_key, (128, 10))
    out = score(weight, jax.random.normal(data_key, (4, 128)))
    print(jnp.argmax(out, axis=-1))


if __name__ == "__main__":
    main()
