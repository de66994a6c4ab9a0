import flax.linen as nn
import jax
import jax.numpy as jnp
import optax
import tensorflow as tf
import tensorflow_datasets as tfds
from flax import jax_utils
from flax.training.train_state import TrainState


class Mlp(nn.Module):
    @nn.compact
    def __call__(self, x):
        x = x.reshape(x.shape[0], -1)
        return nn.Dense(10)(nn.relu(nn.Dense(128)(x)))


def to_devices(batch):
    n = jax.local_device_count()
    return {name: value.reshape((n, -1, *value.shape[1:])) for name, value in batch.items()}


def epochs_of(batch_size, epochs, seed):
    ds = tfds.load("mnist", split=tfds.split_for_jax_process("train"))
    ds = ds.map(lambda e: {"image": tf.cast(e["image"], tf.float32) / 255.0, "label": e["label"]})
    ds = ds.shuffle(10_000, seed=seed, reshuffle_each_iteration=True)
    ds = ds.batch(batch_size)
    for _ in range(epochs):
        yield from map(to_devices, ds.as_numpy_iterator())


def train_step(state, batch):
    def loss_fn(params):
        logits = state.apply_fn({"params": params}, batch["image"])
        return optax.softmax_cross_entropy_with_integer_labels(logits, batch["label"]).mean()

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    grads, loss = jax.lax.pmean((grads, loss), axis_name="batch")
    return state.apply_gradients(grads=grads), loss


def main(batch_size=250, epochs=3):
    model = Mlp()
    params = model.init(jax.random.PRNGKey(0), jnp.zeros((1, 28, 28, 1)))["params"]
    state = jax_utils.replicate(TrainState.create(apply_fn=model.apply, params=params, tx=optax.adam(1e-3)))
    p_step = jax.pmap(train_step, axis_name="batch", donate_argnums=(0,))
    for batch in epochs_of(batch_size, epochs, seed=1):
        state, loss = p_step(state, batch)
    print(float(jax_utils.unreplicate(loss)))


if __name__ == "__main__":
    main()
