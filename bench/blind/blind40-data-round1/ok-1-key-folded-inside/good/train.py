import functools

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils
from flax.training.train_state import TrainState


class Net(nn.Module):
    @nn.compact
    def __call__(self, x, deterministic):
        x = nn.relu(nn.Dense(64)(x))
        x = nn.Dropout(0.2)(x, deterministic=deterministic)
        return nn.Dense(3)(x)


@functools.partial(jax.pmap, axis_name="i", in_axes=(0, 0, None), donate_argnums=(0,))
def train_step(state, batch, key):
    key = jax.random.fold_in(jax.random.fold_in(key, state.step), jax.lax.axis_index("i"))

    def loss_fn(params):
        logits = state.apply_fn({"params": params}, batch["x"], False, rngs={"dropout": key})
        return optax.softmax_cross_entropy_with_integer_labels(logits, batch["y"]).mean()

    grads = jax.lax.pmean(jax.grad(loss_fn)(state.params), "i")
    return state.apply_gradients(grads=grads)


@functools.partial(jax.pmap, axis_name="i")
def count_right(state, batch):
    logits = state.apply_fn({"params": state.params}, batch["x"], True)
    right = (jnp.argmax(logits, -1) == batch["y"]) * batch["mask"]
    return jax.lax.psum((right.sum(), batch["mask"].sum()), "i")


def pad(part, rows):
    missing = rows - len(part["y"])
    part = {**part, "mask": np.ones(len(part["y"]), np.float32)}
    part = {k: np.pad(v, [(0, missing)] + [(0, 0)] * (v.ndim - 1)) for k, v in part.items()}
    n = jax.local_device_count()
    return {k: v.reshape(n, -1, *v.shape[1:]) for k, v in part.items()}


def table(rows, seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(rows, 12)).astype(np.float32)
    return {"x": x, "y": np.argmax(x[:, :3], axis=1)}


def main(epochs=3, rows=64):
    model = Net()
    init_key, drop_key = jax.random.split(jax.random.key(0))
    params = model.init(init_key, jnp.ones((1, 12)), True)["params"]
    state = jax_utils.replicate(TrainState.create(apply_fn=model.apply, params=params, tx=optax.adam(1e-3)))
    train, test = table(1000, 1), table(333, 2)
    n = jax.local_device_count()
    for epoch in range(epochs):
        order = np.random.default_rng(epoch).permutation(len(train["y"]))
        for start in range(0, len(order) - rows + 1, rows):
            take = order[start : start + rows]
            batch = {k: v[take].reshape(n, -1, *v.shape[1:]) for k, v in train.items()}
            state = train_step(state, batch, drop_key)
        right = total = 0
        for start in range(0, len(test["y"]), rows):
            r, t = count_right(state, pad({k: v[start : start + rows] for k, v in test.items()}, rows))
            right, total = right + float(r[0]), total + float(t[0])
        print(epoch, right / total)


if __name__ == "__main__":
    main()
