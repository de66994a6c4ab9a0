import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils
from flax.training import common_utils
from flax.training.train_state import TrainState

import mixup


class Net(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.Dense(10)(nn.gelu(nn.Dense(128)(x)))


def train_step(state, images, labels, key):
    k_mix, k_jitter = jax.random.split(key)
    images = mixup.jitter(k_jitter, images)
    images, soft = mixup.mixup(k_mix, images, common_utils.onehot(labels, 10))

    def loss_fn(params):
        return optax.softmax_cross_entropy(state.apply_fn({"params": params}, images), soft).mean()

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    grads, loss = jax.lax.pmean((grads, loss), "batch")
    return state.apply_gradients(grads=grads), loss


def main(steps=300):
    init_key, key = jax.random.split(jax.random.PRNGKey(0))
    model = Net()
    params = model.init(init_key, jnp.zeros((1, 49)))["params"]
    state = TrainState.create(apply_fn=model.apply, params=params, tx=optax.adamw(1e-3))
    state = jax_utils.replicate(state)
    p_step = jax.pmap(train_step, axis_name="batch", donate_argnums=0)
    rng = np.random.default_rng(0)
    for _ in range(steps):
        key, sub = jax.random.split(key)
        images = rng.normal(size=(128, 49)).astype(np.float32)
        batch = common_utils.shard((images, np.abs(images[:, :10]).argmax(axis=1)))
        state, loss = p_step(state, *batch, common_utils.shard_prng_key(sub))
    print(float(loss[0]))


if __name__ == "__main__":
    main()
