import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax.training.train_state import TrainState
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

from attention import Model


def make_mesh(fsdp):
    return jax.make_mesh((jax.device_count() // fsdp, fsdp), ("data", "fsdp"), axis_types=(jax.sharding.AxisType.Auto,) * 2)


def fsdp_sharding(mesh, leaf):
    for axis, size in enumerate(leaf.shape):
        if size % mesh.shape["fsdp"] == 0 and size > 8:
            return NamedSharding(mesh, P(*[None] * axis, "fsdp"))
    return NamedSharding(mesh, P())


@jax.jit
def step(state, tokens):
    def loss_fn(params):
        logits = state.apply_fn(params, tokens[:, :-1])
        return optax.softmax_cross_entropy_with_integer_labels(logits, tokens[:, 1:]).mean()

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    return state.apply_gradients(grads=grads), loss


def main(steps=5):
    mesh = make_mesh(2)
    model = Model()
    rng = np.random.default_rng(0)
    rows = NamedSharding(mesh, P(("data", "fsdp")))
    with jax.set_mesh(mesh):
        params = model.init(jax.random.key(0), jnp.zeros((8, 8), jnp.int32))
        params = jax.device_put(params, jax.tree.map(lambda leaf: fsdp_sharding(mesh, leaf), params))
        state = TrainState.create(apply_fn=model.apply, params=params, tx=optax.adam(1e-3))
        for _ in range(steps):
            tokens = jax.device_put(rng.integers(0, 32, (16, 9)), rows)
            state, loss = step(state, tokens)
    print("loss", float(loss))


if __name__ == "__main__":
    main()
