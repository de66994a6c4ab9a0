import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import nnx
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

from augment import batch_jitter


class Classifier(nnx.Module):
    def __init__(self, rngs):
        self.hidden = nnx.Linear(8 * 8 * 3, 32, rngs=rngs)
        self.out = nnx.Linear(32, 4, rngs=rngs)

    def __call__(self, images):
        return self.out(nnx.relu(self.hidden(images.reshape(images.shape[0], -1))))


@nnx.jit
def train_step(model, optimizer, images, labels, key):
    def loss_fn(model):
        logits = model(batch_jitter(key, images))
        return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()

    loss, grads = nnx.value_and_grad(loss_fn)(model)
    optimizer.update(model, grads)
    return loss


def main(steps=15, batch=32):
    mesh = Mesh(np.array(jax.devices()), ("data",))
    rows = NamedSharding(mesh, P("data"))
    model = Classifier(nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.sgd(0.05), wrt=nnx.Param)
    key = jax.random.key(100)
    rng = np.random.default_rng(0)
    for step in range(steps):
        images = rng.random((batch, 8, 8, 3), dtype=np.float32)
        labels = np.clip((images.mean((1, 2, 3)) * 8).astype(np.int32) - 2, 0, 3)
        images, labels = jax.device_put((images, labels), rows)
        loss = train_step(model, optimizer, images, labels, jax.random.fold_in(key, step))
    print("loss", float(loss))


if __name__ == "__main__":
    main()
