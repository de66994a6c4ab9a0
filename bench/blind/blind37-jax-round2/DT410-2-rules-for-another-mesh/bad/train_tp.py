import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.experimental import mesh_utils
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

from layers import Stack


def device_mesh(model_parallel):
    grid = mesh_utils.create_device_mesh((jax.device_count() // model_parallel, model_parallel))
    return Mesh(grid, axis_names=("data", "model"))


def sharded_init(model, mesh, key):
    example = jnp.zeros((1, model.width))
    specs = nn.get_partition_spec(jax.eval_shape(model.init, key, example))
    shardings = jax.tree.map(lambda spec: NamedSharding(mesh, spec), specs, is_leaf=lambda s: isinstance(s, P))
    init = jax.jit(lambda k: nn.unbox(model.init(k, example)), out_shardings=nn.unbox(shardings))
    return init(key)


def main(steps=100):
    mesh = device_mesh(model_parallel=2)
    batch_sharding = NamedSharding(mesh, P("batch"))
    model = Stack()
    variables = sharded_init(model, mesh, jax.random.key(0))
    tx = optax.adam(1e-3)
    opt_state = jax.jit(tx.init)(variables)

    @jax.jit
    def step(variables, opt_state, x, y):
        loss, grads = jax.value_and_grad(lambda v: jnp.mean((model.apply(v, x) - y) ** 2))(variables)
        updates, opt_state = tx.update(grads, opt_state)
        return optax.apply_updates(variables, updates), opt_state, loss

    draw = np.random.default_rng(0)
    for _ in range(steps):
        x = draw.normal(size=(32, 64)).astype(np.float32)
        x, y = jax.device_put((x, x.max(-1)), batch_sharding)
        variables, opt_state, loss = step(variables, opt_state, x, y)
    print(float(loss))


if __name__ == "__main__":
    main()
