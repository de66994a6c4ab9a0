import jax
import jax.numpy as jnp
import numpy as np
from flax import jax_utils

from out.save import Out


def step(params, x):
    grads = jax.lax.pmean(jax.grad(lambda p: jnp.mean((x @ p["w"] - x[:, 0]) ** 2))(params), "d")
    return jax.tree.map(lambda p, g: p - 0.1 * g, params, grads)


def main(steps=20):
    jax.distributed.initialize()
    out = Out("out")
    params = jax_utils.replicate({"w": jnp.zeros(3)})
    p_step = jax.pmap(step, axis_name="d")
    rng = np.random.default_rng(jax.process_index())
    for _ in range(steps):
        params = p_step(params, rng.normal(size=(jax.local_device_count(), 8, 3)).astype(np.float32))
    out.save("final.npz", jax_utils.unreplicate(params))


if __name__ == "__main__":
    main()
