import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax.training.train_state import TrainState
from jax.sharding import PartitionSpec as P

from net import Net


def sharded_step(mesh):
    def body(state, batch, key):
        rngs = {"dropout": jax.random.fold_in(key, state.step)}

        def loss_fn(params):
            out = state.apply_fn({"params": params}, batch["x"], deterministic=False, rngs=rngs)
            return jax.lax.pmean(jnp.mean((out - batch["y"]) ** 2), "dp")

        loss, grads = jax.value_and_grad(loss_fn)(state.params)
        return state.apply_gradients(grads=grads), loss

    return jax.jit(
        jax.shard_map(body, mesh=mesh, in_specs=(P(), P("dp"), P()), out_specs=(P(), P())), donate_argnums=(0,)
    )


def main(steps=10):
    mesh = jax.make_mesh((jax.device_count(),), ("dp",))
    net = Net()
    init_key, key = jax.random.split(jax.random.key(0))
    params = net.init(init_key, jnp.zeros((1, 6)), deterministic=True)["params"]
    state = TrainState.create(apply_fn=net.apply, params=params, tx=optax.adam(1e-3))
    step = sharded_step(mesh)
    rng = np.random.default_rng(0)
    for _ in range(steps):
        x = rng.normal(size=(64, 6)).astype(np.float32)
        state, loss = step(state, {"x": x, "y": x.max(-1)}, key)
    print("loss", float(loss))


if __name__ == "__main__":
    main()
