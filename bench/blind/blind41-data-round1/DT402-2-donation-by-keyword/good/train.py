import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils
from flax.training.train_state import TrainState


def apply_fn(params, x):
    return jnp.tanh(x @ params["a"]) @ params["b"]


def train_step(state, batch):
    def loss_fn(params):
        return jnp.mean((state.apply_fn(params, batch["x"])[:, 0] - batch["y"]) ** 2)

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    grads, loss = jax.lax.pmean((grads, loss), axis_name="dp")
    return state.apply_gradients(grads=grads), {"loss": loss}


class Runner:
    def __init__(self, state, batch_size):
        self.state = jax_utils.replicate(state)
        self.batch_size = batch_size
        self.step = jax.pmap(train_step, axis_name="dp", donate_argnums=(0,))

    def run(self, steps):
        n = jax.local_device_count()
        rng = np.random.default_rng(4)
        for _ in range(steps):
            x = rng.normal(size=(n, self.batch_size // n, 12)).astype(np.float32)
            batch = {"x": x, "y": x[..., 0]}
            self.state, metrics = self.step(self.state, batch)
        return float(metrics["loss"][0])


def main():
    ka, kb = jax.random.split(jax.random.PRNGKey(9))
    params = {"a": jax.random.normal(ka, (12, 64)), "b": jax.random.normal(kb, (64, 1)) * 0.1}
    state = TrainState.create(apply_fn=apply_fn, params=params, tx=optax.adam(1e-3))
    print(Runner(state, 64).run(100))


if __name__ == "__main__":
    main()
