import dataclasses

import jax
import numpy as np
import optax
from flax import jax_utils
from flax.training import common_utils, train_state

import convnet


@dataclasses.dataclass
class Options:
    batch: int = 256
    steps: int = 100
    lr: float = 0.1


class State(train_state.TrainState):
    batch_stats: dict


def make_state(options):
    model = convnet.ConvNet(n_classes=10)
    variables = model.init(jax.random.PRNGKey(0), convnet.example(), train=False)
    schedule = optax.cosine_decay_schedule(options.lr, options.steps)
    return State.create(
        apply_fn=model.apply,
        params=variables["params"],
        batch_stats=variables["batch_stats"],
        tx=optax.sgd(schedule, momentum=0.9, nesterov=True),
    )


def train_step(state, batch):
    def loss_fn(params):
        logits, new = state.apply_fn(
            {"params": params, "batch_stats": state.batch_stats},
            batch["image"],
            train=True,
            mutable=["batch_stats"],
        )
        return optax.softmax_cross_entropy_with_integer_labels(logits, batch["label"]).mean(), new

    (loss, new), grads = jax.value_and_grad(loss_fn, has_aux=True)(state.params)
    grads, stats, loss = jax.lax.pmean((grads, new["batch_stats"], loss), convnet.AXIS)
    return state.apply_gradients(grads=grads, batch_stats=stats), loss


def images(batch):
    draw = np.random.default_rng(0)
    while True:
        label = draw.integers(0, 10, size=batch)
        image = draw.normal(size=(batch, 32, 32, 3)) + label[:, None, None, None] / 5
        yield common_utils.shard({"image": image.astype(np.float32), "label": label})


def main(options=Options()):
    state = jax_utils.replicate(make_state(options))
    step = jax.pmap(train_step, axis_name=convnet.AXIS, donate_argnums=(0,))
    stream = jax_utils.prefetch_to_device(images(options.batch), 2)
    for _ in range(options.steps):
        state, loss = step(state, next(stream))
    print("final loss", float(jax_utils.unreplicate(loss)))


if __name__ == "__main__":
    main()
