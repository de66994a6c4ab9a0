import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils, serialization
from flax.training import train_state

from vit.model import Mixer
from vit.steps import eval_step, train_step


def batch(rng, n, per):
    x = rng.normal(size=(n, per, 6, 16)).astype(np.float32)
    return x, x.sum((2, 3)).astype(np.int32) % 3


def main(steps=30, per=8):
    root = jax.random.key(0)
    init_key, step_key = jax.random.split(root)
    model = Mixer(16, 2)
    params = model.init(init_key, jnp.zeros((1, 6, 16)), False)["params"]
    state = train_state.TrainState.create(apply_fn=model.apply, params=params, tx=optax.adamw(1e-3))
    state = jax_utils.replicate(state)
    n = jax.local_device_count()
    rng = np.random.default_rng(jax.process_index())
    for i in range(steps):
        x, y = batch(rng, n, per)
        state, loss = train_step(state, x, y, jax.random.fold_in(step_key, i))
    x, y = batch(np.random.default_rng(99), n, per)
    right = int(eval_step(state, x, y)[0])
    final = jax_utils.unreplicate(state)
    if jax.process_index() == 0:
        print("right", right)
        with open("final.msgpack", "wb") as f:
            f.write(serialization.to_bytes(final.params))


if __name__ == "__main__":
    main()
