import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils
from flax.core import FrozenDict
from flax.training import common_utils, train_state

from networks import ConvNet

AXIS = "replicas"


class State(train_state.TrainState):
    batch_stats: FrozenDict


def update(state, images, labels):
    def loss_fn(params):
        variables = {"params": params, "batch_stats": state.batch_stats}
        logits, new = state.apply_fn(variables, images, train=True, mutable=["batch_stats"])
        one_hot = common_utils.onehot(labels, logits.shape[-1])
        return optax.softmax_cross_entropy(logits, one_hot).mean(), new["batch_stats"]

    (loss, stats), grads = jax.value_and_grad(loss_fn, has_aux=True)(state.params)
    grads, stats, loss = jax.lax.pmean((grads, stats, loss), AXIS)
    return state.apply_gradients(grads=grads, batch_stats=stats), loss


def main(steps=500, global_batch=128):
    model = ConvNet()
    variables = model.init(jax.random.key(21), jnp.zeros((1, 32, 32, 3)), train=False)
    tx = optax.chain(optax.add_decayed_weights(5e-4), optax.sgd(0.1, momentum=0.9, nesterov=True))
    state = State.create(apply_fn=model.apply, params=variables["params"], batch_stats=variables["batch_stats"], tx=tx)
    state = jax_utils.replicate(state)
    p_update = jax.pmap(update, axis_name=AXIS, donate_argnums=(0,))
    rng = np.random.default_rng(4)
    for step in range(steps):
        images = rng.normal(size=(global_batch, 32, 32, 3)).astype(np.float32)
        labels = rng.integers(0, 100, size=global_batch)
        state, loss = p_update(state, common_utils.shard(images), common_utils.shard(labels))
        if step % 100 == 0:
            print(step, float(loss[0]))


if __name__ == "__main__":
    main()
