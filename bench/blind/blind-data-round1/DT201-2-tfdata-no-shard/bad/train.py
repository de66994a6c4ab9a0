import functools

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

from input_pipeline import InputConfig, train_dataset


class Net(nn.Module):
    classes: int = 10

    @nn.compact
    def __call__(self, x):
        x = nn.relu(nn.Conv(16, (3, 3), strides=2)(x))
        return nn.Dense(self.classes)(x.mean(axis=(1, 2)))


def loss_fn(params, model, batch):
    logits = model.apply({"params": params}, batch["image"])
    return optax.softmax_cross_entropy_with_integer_labels(logits, batch["label"]).mean()


def main():
    jax.distributed.initialize()
    mesh = Mesh(np.asarray(jax.devices()), ("data",))
    sharded = NamedSharding(mesh, P("data"))
    replicated = NamedSharding(mesh, P())
    cfg = InputConfig()
    model = Net()
    tx = optax.adamw(1e-3)

    def init(key):
        params = model.init(key, jnp.zeros((1, cfg.image_size, cfg.image_size, 3)))["params"]
        return params, tx.init(params)

    params, opt_state = jax.jit(init, out_shardings=replicated)(jax.random.PRNGKey(0))

    @functools.partial(jax.jit, donate_argnums=(0, 1))
    def step(params, opt_state, batch):
        loss, grads = jax.value_and_grad(loss_fn)(params, model, batch)
        updates, opt_state = tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, loss

    for index, batch in enumerate(train_dataset(cfg).as_numpy_iterator()):
        batch = jax.tree.map(lambda x: jax.make_array_from_process_local_data(sharded, x), batch)
        params, opt_state, loss = step(params, opt_state, batch)
        if index % 100 == 0 and jax.process_index() == 0:
            print(index, float(loss))
        if index == 1000:
            break


if __name__ == "__main__":
    main()
