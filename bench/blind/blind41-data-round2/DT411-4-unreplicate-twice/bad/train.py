import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils
from flax.training.train_state import TrainState

import ckpt


def step(state, x):
    grads = jax.grad(lambda p: jnp.mean((state.apply_fn(p, x) - x[..., 0]) ** 2))(state.params)
    return state.apply_gradients(grads=jax.lax.pmean(grads, "q"))


def main(steps=50):
    state = TrainState.create(
        apply_fn=lambda p, x: x @ p["w"] + p["b"], params={"w": jnp.zeros(6), "b": jnp.zeros(1)}, tx=optax.sgd(0.1)
    )
    state = jax_utils.replicate(state)
    p_step = jax.pmap(step, axis_name="q", donate_argnums=0)
    rng = np.random.default_rng(0)
    for _ in range(steps):
        state = p_step(state, rng.normal(size=(jax.local_device_count(), 8, 6)).astype(np.float32))
    if jax.process_index() == 0:
        ckpt.write("final.msgpack", jax_utils.unreplicate(state))


if __name__ == "__main__":
    main()
