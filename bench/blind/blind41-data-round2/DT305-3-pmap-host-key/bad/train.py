import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils
from flax import linen as nn
from flax.training.train_state import TrainState


class Net(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.Dense(1)(nn.relu(nn.Dense(64)(x)))[..., 0]


def step(state, x, y):
    loss, grads = jax.value_and_grad(lambda p: jnp.mean((state.apply_fn(p, x) - y) ** 2))(state.params)
    grads, loss = jax.lax.pmean((grads, loss), "all")
    return state.apply_gradients(grads=grads), loss


def main(seed=0, steps=1000):
    jax.distributed.initialize()
    root = jax.random.PRNGKey(seed)
    root = jax.random.fold_in(root, jax.process_index())
    init_key, data_key = jax.random.split(root)
    model = Net()
    params = model.init(init_key, jnp.zeros((1, 12)))
    state = jax_utils.replicate(TrainState.create(apply_fn=model.apply, params=params, tx=optax.adam(1e-3)))
    p_step = jax.pmap(step, axis_name="all", donate_argnums=0)
    n = jax.local_device_count()
    for i in range(steps):
        x = jax.random.normal(jax.random.fold_in(data_key, i), (n, 32, 12))
        state, loss = p_step(state, x, jnp.sin(x).sum(-1))
    if jax.process_index() == 0:
        print(float(loss[0]))


if __name__ == "__main__":
    main()
