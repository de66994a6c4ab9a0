import jax
import jax.numpy as jnp
import numpy as np

from trainer import Trainer


def loss(params, batch):
    return jnp.mean((batch @ params["w"] - batch.sum(-1, keepdims=True)) ** 2)


if __name__ == "__main__":
    rng = np.random.default_rng(1)
    trainer = Trainer(loss, {"w": jnp.zeros((8, 1))}, lr=0.05, decay=0.99)
    for _ in range(20):
        value = trainer.advance(jnp.asarray(rng.normal(size=(32, 8)), jnp.float32))
    print(float(value))
