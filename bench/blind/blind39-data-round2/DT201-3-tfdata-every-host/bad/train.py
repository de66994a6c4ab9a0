import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import linen as nn
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

from input_pipeline import train_batches


class Classifier(nn.Module):
    @nn.compact
    def __call__(self, x):
        x = nn.relu(nn.Dense(512)(x))
        return nn.Dense(10)(x)


def main(steps=5_000, global_batch=1024):
    jax.distributed.initialize()
    mesh = Mesh(np.array(jax.devices()), ("data",))
    rows, whole = NamedSharding(mesh, P("data")), NamedSharding(mesh, P())
    model, tx = Classifier(), optax.adamw(1e-3)

    @jax.jit
    def init(key):
        params = model.init(key, jnp.zeros((1, 784)))
        return params, tx.init(params)

    @jax.jit
    def step(params, opt_state, x, y):
        def loss_fn(p):
            return optax.softmax_cross_entropy_with_integer_labels(model.apply(p, x), y).mean()

        loss, grads = jax.value_and_grad(loss_fn)(params)
        updates, opt_state = tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, loss

    params, opt_state = jax.jit(init, out_shardings=whole)(jax.random.PRNGKey(0))
    batches = train_batches("gs://digits/train-*.tfrecord", global_batch // jax.process_count(), seed=5)
    for number in range(steps):
        x, y = next(batches)
        x = jax.make_array_from_process_local_data(rows, x)
        y = jax.make_array_from_process_local_data(rows, y)
        params, opt_state, loss = step(params, opt_state, x, y)
        if number % 200 == 0 and jax.process_index() == 0:
            print(number, float(loss))


if __name__ == "__main__":
    main()
