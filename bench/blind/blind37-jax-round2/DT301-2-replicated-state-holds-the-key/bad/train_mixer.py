from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import struct
from flax.jax_utils import replicate, unreplicate
from flax.training.common_utils import onehot, shard

from vit import Mixer

model = Mixer()


@struct.dataclass
class TrainState:
    step: int
    params: dict
    opt_state: optax.OptState
    rng: jax.Array


def optimizer(steps):
    return optax.adamw(optax.warmup_cosine_decay_schedule(0.0, 1e-3, steps // 10, steps), weight_decay=0.05)


def create(seed, tx):
    init_rng, rng = jax.random.split(jax.random.PRNGKey(seed))
    params = model.init(init_rng, jnp.zeros((1, 16, 48)), deterministic=True)["params"]
    return TrainState(step=0, params=params, opt_state=tx.init(params), rng=rng)


def make_step(tx):
    @partial(jax.pmap, axis_name="batch", donate_argnums=(0,))
    def step(state, batch):
        rng, dropout_rng = jax.random.split(state.rng)

        def cross_entropy(params):
            logits = model.apply({"params": params}, batch["patches"], rngs={"dropout": dropout_rng})
            return -(onehot(batch["label"], 10) * jax.nn.log_softmax(logits)).sum(-1).mean()

        loss, grads = jax.value_and_grad(cross_entropy)(state.params)
        loss, grads = jax.lax.pmean((loss, grads), "batch")
        updates, opt_state = tx.update(grads, state.opt_state, state.params)
        params = optax.apply_updates(state.params, updates)
        return state.replace(step=state.step + 1, params=params, opt_state=opt_state, rng=rng), loss

    return step


def examples(batch):
    draw = np.random.default_rng(0)
    while True:
        patches = draw.normal(size=(batch, 16, 48)).astype(np.float32)
        yield shard({"patches": patches, "label": patches[:, 0, :10].argmax(-1)})


def main(steps=200, batch=64):
    tx = optimizer(steps)
    state = replicate(create(0, tx))
    step = make_step(tx)
    for i, part in zip(range(steps), examples(batch)):
        state, loss = step(state, part)
        if i % 50 == 0:
            print(i, float(unreplicate(loss)))


if __name__ == "__main__":
    main()
