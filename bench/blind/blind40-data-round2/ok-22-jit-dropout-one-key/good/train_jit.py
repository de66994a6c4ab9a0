import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax.training import train_state
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


class State(train_state.TrainState):
    key: jax.Array


class Net(nn.Module):
    @nn.compact
    def __call__(self, x, train):
        x = nn.relu(nn.Dense(128)(x))
        x = nn.Dropout(0.5, deterministic=not train)(x)
        return nn.Dense(1)(x)[:, 0]


def train_step(state, x, y):
    key = jax.random.fold_in(state.key, state.step)
    k_noise, k_drop = jax.random.split(key)
    x = x + 0.01 * jax.random.normal(k_noise, x.shape)

    def loss_fn(params):
        return jnp.mean((state.apply_fn({"params": params}, x, True, rngs={"dropout": k_drop}) - y) ** 2)

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    return state.apply_gradients(grads=grads), loss


def main(steps=200, rows=256):
    mesh = Mesh(np.asarray(jax.devices()), ("data",))
    by_row, whole = NamedSharding(mesh, P("data")), NamedSharding(mesh, P())
    k_init, k_state = jax.random.split(jax.random.key(0))
    model = Net()
    params = model.init(k_init, jnp.zeros((1, 20)), False)["params"]
    state = State.create(apply_fn=model.apply, params=params, tx=optax.adam(1e-3), key=k_state)
    state = jax.device_put(state, whole)
    step_fn = jax.jit(train_step, in_shardings=(whole, by_row, by_row), out_shardings=(whole, whole), donate_argnums=0)
    rng = np.random.default_rng(0)
    history = []
    for _ in range(steps):
        x = rng.normal(size=(rows, 20)).astype(np.float32)
        batch = jax.device_put((x, x[:, 0] ** 2), by_row)
        state, loss = step_fn(state, *batch)
        history.append(loss)
    print(np.mean(jax.device_get(history)[-20:]))


if __name__ == "__main__":
    main()
