import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import linen as nn
from flax.training.train_state import TrainState
from jax.sharding import NamedSharding, PartitionSpec as P

from ssl_views import two_views


class Tower(nn.Module):
    @nn.compact
    def __call__(self, x):
        for features in (32, 64):
            x = nn.relu(nn.Conv(features, (3, 3), strides=2)(x))
        z = nn.Dense(64)(x.reshape(x.shape[0], -1))
        return z / (jnp.linalg.norm(z, axis=-1, keepdims=True) + 1e-6)


def nt_xent(a, b, temperature=0.2):
    logits = a @ b.T / temperature
    target = jnp.arange(a.shape[0])
    loss = optax.softmax_cross_entropy_with_integer_labels
    return 0.5 * (loss(logits, target) + loss(logits.T, target)).mean()


@jax.jit
def step_fn(state, images, key):
    left, right = two_views(key, images)

    def loss_fn(params):
        return nt_xent(state.apply_fn(params, left), state.apply_fn(params, right))

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    return state.apply_gradients(grads=grads), loss


def main(steps=100, batch=128):
    mesh = jax.make_mesh((jax.device_count(),), ("data",))
    model = Tower()
    init_key, view_key = jax.random.split(jax.random.key(8))
    state = TrainState.create(apply_fn=model.apply, params=model.init(init_key, jnp.zeros((1, 28, 28, 3))), tx=optax.lars(0.3))
    state = jax.device_put(state, NamedSharding(mesh, P()))
    rng = np.random.default_rng(1)
    for step in range(steps):
        images = jax.device_put(rng.random((batch, 32, 32, 3), dtype=np.float32), NamedSharding(mesh, P("data")))
        state, loss = step_fn(state, images, jax.random.fold_in(view_key, step))
        if step % 20 == 0:
            print(step, float(loss))


if __name__ == "__main__":
    main()
