import flax.linen as nn
import jax
import jax.numpy as jnp
import optax
from flax import jax_utils
from flax.training.train_state import TrainState

from input_pipeline import train_batches


class CNN(nn.Module):
    @nn.compact
    def __call__(self, x):
        for width in (32, 64):
            x = nn.relu(nn.Conv(width, (3, 3), strides=2)(x))
        return nn.Dense(10)(x.mean(axis=(1, 2)))


def step(state, batch):
    def loss_fn(params):
        logits = state.apply_fn({"params": params}, batch["image"])
        return optax.softmax_cross_entropy_with_integer_labels(logits, batch["label"]).mean()

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    grads = jax.lax.pmean(grads, "batch")
    return state.apply_gradients(grads=grads), jax.lax.pmean(loss, "batch")


def main(steps=5000, global_batch=1024):
    jax.distributed.initialize()
    model = CNN()
    params = model.init(jax.random.key(0), jnp.zeros((1, 32, 32, 3)))["params"]
    state = jax_utils.replicate(TrainState.create(apply_fn=model.apply, params=params, tx=optax.adam(1e-3)))
    p_step = jax.pmap(step, axis_name="batch", donate_argnums=0)
    batches = train_batches("cifar10", global_batch // jax.process_count(), seed=0)
    for i, batch in zip(range(steps), batches):
        state, loss = p_step(state, batch)
        if i % 100 == 0 and jax.process_index() == 0:
            print(i, float(loss[0]))


if __name__ == "__main__":
    main()
