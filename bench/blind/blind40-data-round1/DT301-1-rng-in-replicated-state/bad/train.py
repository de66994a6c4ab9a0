import jax
import jax.numpy as jnp
import flax.linen as nn
import numpy as np
import optax
from flax import jax_utils, struct
from flax.training import common_utils, train_state


class State(train_state.TrainState):
    dropout_key: jax.Array


class Classifier(nn.Module):
    classes: int = 10
    rate: float = 0.3

    @nn.compact
    def __call__(self, x, *, train):
        for width in (128, 64):
            x = nn.relu(nn.Dense(width)(x))
            x = nn.Dropout(self.rate, deterministic=not train)(x)
        return nn.Dense(self.classes)(x)


def step(state, batch):
    key = jax.random.fold_in(state.dropout_key, state.step)

    def loss_fn(params):
        logits = state.apply_fn({"params": params}, batch["x"], train=True, rngs={"dropout": key})
        one_hot = common_utils.onehot(batch["y"], logits.shape[-1])
        return optax.softmax_cross_entropy(logits, one_hot).mean()

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    grads = jax.lax.pmean(grads, axis_name="batch")
    loss = jax.lax.pmean(loss, axis_name="batch")
    return state.apply_gradients(grads=grads), loss


def make_state(seed, example, lr):
    init_key, dropout_key = jax.random.split(jax.random.PRNGKey(seed))
    model = Classifier()
    params = model.init(init_key, example, train=False)["params"]
    return State.create(apply_fn=model.apply, params=params, tx=optax.sgd(lr, momentum=0.9), dropout_key=dropout_key)


def toy_batches(global_batch, seed=0):
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(10, 32))
    while True:
        y = rng.integers(0, 10, size=global_batch)
        x = centres[y] + rng.normal(size=(global_batch, 32))
        yield common_utils.shard({"x": x.astype(np.float32), "y": y})


def main(total=300, global_batch=256):
    state = make_state(0, jnp.zeros((1, 32)), lr=0.05)
    state = jax_utils.replicate(state)
    p_step = jax.pmap(step, axis_name="batch", donate_argnums=(0,))
    batches = toy_batches(global_batch)
    for i in range(total):
        state, loss = p_step(state, next(batches))
        if i % 100 == 0:
            print(i, jax_utils.unreplicate(loss))
    return jax_utils.unreplicate(state)


if __name__ == "__main__":
    main()
