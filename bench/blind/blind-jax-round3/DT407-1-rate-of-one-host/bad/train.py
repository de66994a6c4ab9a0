import jax
import jax.numpy as jnp
import numpy as np
from flax import jax_utils
from flax import linen as nn
from flax.training.train_state import TrainState

from optim import make_optimizer


class Net(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.Dense(1)(nn.swish(nn.Dense(32)(x)))[..., 0]


def step(state, x):
    def loss_fn(params):
        return jnp.mean((state.apply_fn({"params": params}, x) - jnp.prod(x, -1)) ** 2)

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    loss, grads = jax.lax.pmean((loss, grads), "everyone")
    return state.apply_gradients(grads=grads), loss


def host_batches(per_device, count):
    rng = np.random.default_rng([3, jax.process_index()])
    for _ in range(count):
        yield rng.uniform(size=(jax.local_device_count(), per_device, 4)).astype(np.float32)


def main(per_device=16, steps=20):
    jax.distributed.initialize()
    net = Net()
    params = net.init(jax.random.PRNGKey(0), jnp.zeros((1, 4)))["params"]
    tx = make_optimizer(1e-3, per_device, 4, steps)
    state = jax_utils.replicate(TrainState.create(apply_fn=net.apply, params=params, tx=tx))
    p_step = jax.pmap(step, axis_name="everyone", donate_argnums=(0,))
    for x in host_batches(per_device, steps):
        state, loss = p_step(state, x)
    if jax.process_index() == 0:
        print("loss", float(loss[0]))


if __name__ == "__main__":
    main()
