"""ResNet-like with batch statistics: synced before evaluation and before the checkpoint."""
import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils
from flax import linen as nn
from flax.training import train_state


class Net(nn.Module):
    @nn.compact
    def __call__(self, x, train=True):
        norm = functools.partial(nn.BatchNorm, use_running_average=not train, momentum=0.9)
        x = nn.relu(norm()(nn.Dense(16)(x)))
        return nn.Dense(3)(x)


class TrainState(train_state.TrainState):
    batch_stats: Any


cross_replica_mean = jax.pmap(lambda x: jax.lax.pmean(x, "x"), "x")


def sync_batch_stats(state):
    return state.replace(batch_stats=cross_replica_mean(state.batch_stats))


def train_step(state, batch):
    def loss_fn(params):
        logits, new = state.apply_fn({"params": params, "batch_stats": state.batch_stats}, batch["x"], mutable=["batch_stats"])
        loss = optax.softmax_cross_entropy_with_integer_labels(logits, batch["y"]).mean()
        return loss, (new, logits)

    (loss, (new, logits)), grads = jax.value_and_grad(loss_fn, has_aux=True)(state.params)
    state = state.apply_gradients(grads=grads, batch_stats=new["batch_stats"])
    metrics = {"loss": loss, "acc": (logits.argmax(-1) == batch["y"]).mean()}
    return state, jax.lax.pmean(metrics, axis_name="batch")


def eval_step(state, batch):
    variables = {"params": state.params, "batch_stats": state.batch_stats}
    logits = state.apply_fn(variables, batch["x"], train=False, mutable=False)
    return jax.lax.pmean({"acc": (logits.argmax(-1) == batch["y"]).mean()}, axis_name="batch")


def create(key):
    model = Net()
    variables = model.init(key, jnp.ones((1, 4)))
    return TrainState.create(apply_fn=model.apply, params=variables["params"], tx=optax.sgd(0.1, momentum=0.9), batch_stats=variables["batch_stats"])


def save(state, path):
    state = jax.device_get(jax.tree_util.tree_map(lambda x: x[0], state))
    if jax.process_index() == 0:
        np.savez(path, *jax.tree_util.tree_leaves(state.params), step=state.step)


def main():
    n = jax.local_device_count()
    state = jax_utils.replicate(create(jax.random.PRNGKey(0)))
    p_train = jax.pmap(train_step, axis_name="batch")
    p_eval = jax.pmap(eval_step, axis_name="batch")
    rng = np.random.default_rng(0)
    for step in range(20):
        x = rng.normal(size=(n, 8, 4)).astype(np.float32)
        batch = {"x": x, "y": x[..., :3].argmax(-1)}
        state, metrics = p_train(state, batch)
        if (step + 1) % 10 == 0:
            state = sync_batch_stats(state)
            print(step, jax_utils.unreplicate(metrics), jax_utils.unreplicate(p_eval(state, batch)))
    save(sync_batch_stats(state), "/tmp/bn.npz")


if __name__ == "__main__":
    main()
