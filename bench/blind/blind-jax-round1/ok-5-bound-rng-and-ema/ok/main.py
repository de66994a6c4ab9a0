import functools

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils, struct

import rngs


class Net(nn.Module):
    @nn.compact
    def __call__(self, x, train):
        x = nn.Dense(32, use_bias=False)(x)
        x = nn.BatchNorm(use_running_average=not train)(x)
        x = nn.Dropout(0.1, deterministic=not train)(nn.relu(x))
        return nn.Dense(1)(x)[..., 0]


@struct.dataclass
class State:
    step: int
    params: dict
    stats: dict
    opt_state: tuple
    rng: jax.Array


def train_step(state, x, y, *, net, tx):
    rng, new_rng = jax.random.split(state.rng)
    rng = rngs.bind(rng, "batch")

    def loss_fn(params):
        out, new = net.apply(
            {"params": params, "batch_stats": state.stats}, x, True, mutable=["batch_stats"], rngs={"dropout": rng}
        )
        return jnp.mean((out - y) ** 2), new["batch_stats"]

    (loss, stats), grads = jax.value_and_grad(loss_fn, has_aux=True)(state.params)
    grads = jax.lax.pmean(grads, "batch")
    updates, opt_state = tx.update(grads, state.opt_state)
    params = optax.apply_updates(state.params, updates)
    new_state = state.replace(step=state.step + 1, params=params, stats=stats, opt_state=opt_state, rng=new_rng)
    return new_state, jax.lax.pmean(loss, "batch")


def eval_step(state, x, y, weight, *, net):
    out = net.apply({"params": state.params, "batch_stats": state.stats}, x, False)
    return jnp.sum(weight * (out - y) ** 2), jnp.sum(weight)


def main(steps=12):
    net, tx = Net(), optax.sgd(0.01, momentum=0.9)
    init_rng, rng = jax.random.split(jax.random.PRNGKey(4))
    variables = net.init(init_rng, jnp.zeros((1, 6)), False)
    state = State(0, variables["params"], variables["batch_stats"], tx.init(variables["params"]), rng)
    state = jax_utils.replicate(state)
    p_train = jax.pmap(functools.partial(train_step, net=net, tx=tx), axis_name="batch", donate_argnums=0)
    p_eval = jax.pmap(functools.partial(eval_step, net=net))
    p_sync = jax.pmap(lambda s: jax.lax.pmean(s, "batch"), axis_name="batch")
    n = jax.local_device_count()
    data = np.random.default_rng(0)
    for _ in range(steps):
        x = data.normal(size=(n, 8, 6)).astype(np.float32)
        state, loss = p_train(state, x, x.sum(-1))
    state = state.replace(stats=p_sync(state.stats))
    x = data.normal(size=(n * 8 - 3, 6)).astype(np.float32)
    weight = np.pad(np.ones(len(x), np.float32), (0, 3)).reshape(n, 8)
    x = np.pad(x, ((0, 3), (0, 0))).reshape(n, 8, 6)
    total, count = p_eval(state, x, x.sum(-1), weight)
    print("train", float(loss[0]), "eval", float(total.sum() / count.sum()))


if __name__ == "__main__":
    main()
