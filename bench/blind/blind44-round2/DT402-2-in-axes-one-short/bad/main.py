import jax
import jax.numpy as jnp
import numpy as np
from flax import jax_utils

from sched.parallel import compile_step


def main(steps=30):
    devices = jax.local_devices()
    run = compile_step(devices)
    params = jax_utils.replicate({"w": jnp.zeros((4,)), "b": jnp.zeros(())}, devices)
    rng = np.random.default_rng(0)
    for count in range(steps):
        x = rng.normal(size=(len(devices), 8, 4)).astype(np.float32)
        params, loss = run(params, x, x.sum(-1), count)
    print(float(loss[0]))


if __name__ == "__main__":
    main()
