"""SAM: both gradient passes of a step see the same dropout mask, by design."""
import jax
import jax.numpy as jnp
import optax
from flax import linen as nn
from flax.training.train_state import TrainState


class Net(nn.Module):
    @nn.compact
    def __call__(self, x, train: bool):
        x = nn.relu(nn.Dense(16)(x))
        x = nn.Dropout(0.3, deterministic=not train)(x)
        return nn.Dense(1)(x)


def global_norm(tree):
    return jnp.sqrt(sum(jnp.sum(x**2) for x in jax.tree_util.tree_leaves(tree)))


@jax.jit
def sam_step(state, batch, dropout_key, rho=0.05):
    def loss_fn(params):
        out = state.apply_fn({"params": params}, batch["x"], True, rngs={"dropout": dropout_key})
        return jnp.mean((out - batch["y"]) ** 2)

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    scale = rho / (global_norm(grads) + 1e-12)
    perturbed = jax.tree_util.tree_map(lambda p, g: p + scale * g, state.params, grads)
    grads = jax.grad(loss_fn)(perturbed)
    return state.apply_gradients(grads=grads), loss


def main():
    root = jax.random.PRNGKey(0)
    init_key, data_key, train_key = jax.random.split(root, 3)
    model = Net()
    x = jax.random.normal(data_key, (64, 8))
    batch = {"x": x, "y": x.mean(1, keepdims=True)}
    params = model.init(init_key, x[:1], False)["params"]
    state = TrainState.create(apply_fn=model.apply, params=params, tx=optax.sgd(0.1))
    for step in range(20):
        state, loss = sam_step(state, batch, jax.random.fold_in(train_key, step))
    print(float(loss))


if __name__ == "__main__":
    main()
