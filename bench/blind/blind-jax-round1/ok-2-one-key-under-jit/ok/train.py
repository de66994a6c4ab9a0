import dataclasses
from functools import partial

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax.training.train_state import TrainState
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


class Tagger(nn.Module):
    rate: float

    @nn.compact
    def __call__(self, x, train):
        h = nn.relu(nn.Dense(32)(x))
        h = nn.Dropout(self.rate)(h, deterministic=not train)
        return nn.Dense(5)(h)


@dataclasses.dataclass
class Trainer:
    mesh: Mesh
    seed: int = 0
    rate: float = 0.1

    def __post_init__(self):
        self.rows = NamedSharding(self.mesh, P("data"))
        self.whole = NamedSharding(self.mesh, P())
        init_key, self.key = jax.random.split(jax.random.key(self.seed))
        self.model = Tagger(self.rate)
        self.state = jax.jit(self._create, out_shardings=self.whole)(init_key)
        self.step = jax.jit(self._step, donate_argnums=0, out_shardings=self.whole)

    def _create(self, key):
        params = self.model.init(key, jnp.zeros((1, 8)), train=False)["params"]
        return TrainState.create(apply_fn=self.model.apply, params=params, tx=optax.adamw(1e-3))

    @staticmethod
    def _step(state, x, y, key):
        key = jax.random.fold_in(key, state.step)

        def loss_fn(params):
            logits = state.apply_fn({"params": params}, x, train=True, rngs={"dropout": key})
            return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()

        loss, grads = jax.value_and_grad(loss_fn)(state.params)
        return state.apply_gradients(grads=grads), loss

    def fit(self, batches):
        losses = []
        for x, y in batches:
            x = jax.make_array_from_process_local_data(self.rows, x)
            y = jax.make_array_from_process_local_data(self.rows, y)
            self.state, loss = self.step(self.state, x, y, self.key)
            losses.append(loss)
        return [float(v) for v in losses]


def local_rows(n, total, seed):
    rng = np.random.default_rng([seed, jax.process_index()])
    for _ in range(n):
        x = rng.normal(size=(total // jax.process_count(), 8)).astype(np.float32)
        yield x, np.clip(np.round(x.sum(-1)) + 2, 0, 4).astype(np.int32)


def main():
    jax.distributed.initialize()
    trainer = Trainer(Mesh(np.array(jax.devices()), ("data",)))
    losses = trainer.fit(local_rows(12, 64, 1))
    if jax.process_index() == 0:
        print("first", losses[0], "last", losses[-1])


if __name__ == "__main__":
    main()
