import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax.training.train_state import TrainState
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


class Net(nn.Module):
    @nn.compact
    def __call__(self, x, train):
        x = nn.gelu(nn.Dense(64)(x))
        x = nn.Dropout(0.1, deterministic=not train)(x)
        return nn.Dense(1)(x)[..., 0]


def train_step(state, x, y, key):
    key = jax.random.fold_in(key, state.step)

    def loss_fn(params):
        pred = state.apply_fn({"params": params}, x, True, rngs={"dropout": key})
        return jnp.mean((pred - y) ** 2)

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    return state.apply_gradients(grads=grads), loss


def main(steps=200, batch=128):
    mesh = Mesh(np.asarray(jax.devices()), ("data",))
    whole, rows = NamedSharding(mesh, P()), NamedSharding(mesh, P("data"))
    init_key, drop_key = jax.random.split(jax.random.key(0))
    model = Net()
    params = model.init(init_key, jnp.zeros((1, 10)), False)["params"]
    state = jax.device_put(TrainState.create(apply_fn=model.apply, params=params, tx=optax.adam(1e-3)), whole)
    step = jax.jit(train_step, in_shardings=(whole, rows, rows, whole), donate_argnums=(0,))
    rng = np.random.default_rng(2)
    for _ in range(steps):
        x = rng.normal(size=(batch, 10)).astype(np.float32)
        state, loss = step(state, *jax.device_put((x, x.max(1)), rows), drop_key)
    print(float(loss))


if __name__ == "__main__":
    main()
