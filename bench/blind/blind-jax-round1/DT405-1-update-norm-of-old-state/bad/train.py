import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import linen as nn
from flax.training.train_state import TrainState
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

from monitor import UpdateMonitor


class Mlp(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.Dense(1)(nn.gelu(nn.Dense(64)(x)))[..., 0]


def make_step(state_sharding, rows):
    def step(state, x, y):
        def loss_fn(params):
            return jnp.mean((state.apply_fn({"params": params}, x) - y) ** 2)

        loss, grads = jax.value_and_grad(loss_fn)(state.params)
        return state.apply_gradients(grads=grads), loss

    return jax.jit(
        step,
        in_shardings=(state_sharding, rows, rows),
        out_shardings=(state_sharding, state_sharding),
        donate_argnums=(0,),
    )


def main(steps=30, batch=64):
    mesh = Mesh(np.array(jax.devices()), ("data",))
    whole, rows = NamedSharding(mesh, P()), NamedSharding(mesh, P("data"))
    model = Mlp()
    params = model.init(jax.random.key(0), jnp.zeros((1, 6)))["params"]
    state = TrainState.create(apply_fn=model.apply, params=params, tx=optax.adam(1e-3))
    state = jax.device_put(state, whole)
    step_fn = make_step(whole, rows)
    monitor = UpdateMonitor(every=10)
    rng = np.random.default_rng(0)
    for i in range(steps):
        x = jax.device_put(rng.normal(size=(batch, 6)).astype(np.float32), rows)
        new_state, loss = step_fn(state, x, x.sum(-1))
        if monitor.due(i):
            monitor.record(state.params, new_state.params)
        state = new_state
    print("loss", float(loss), "update ratios", list(monitor.history))


if __name__ == "__main__":
    main()
