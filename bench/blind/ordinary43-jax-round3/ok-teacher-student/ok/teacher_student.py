"""Self distillation: teacher EMA, two views with two keys; student and teacher share each view on purpose."""
from typing import NamedTuple

import jax
import jax.numpy as jnp
import optax


class State(NamedTuple):
    student: dict
    teacher: dict
    opt: optax.OptState
    key: jax.Array


tx = optax.adamw(1e-3)


def init(key):
    key, k1, k2 = jax.random.split(key, 3)
    net = {"a": jax.random.normal(k1, (8, 16)) * 0.3, "b": jax.random.normal(k2, (16, 8)) * 0.3}
    return State(net, jax.tree.map(jnp.copy, net), tx.init(net), key)


def encode(net, x):
    return jax.nn.softmax(jnp.tanh(x @ net["a"]) @ net["b"])


def view(key, x):
    mask_key, noise_key = jax.random.split(key)
    return x * jax.random.bernoulli(mask_key, 0.8, x.shape) + 0.1 * jax.random.normal(noise_key, x.shape)


@jax.jit
def update(state, x):
    key, k1, k2 = jax.random.split(state.key, 3)
    v1, v2 = view(k1, x), view(k2, x)
    t1, t2 = encode(state.teacher, v1), encode(state.teacher, v2)

    def loss_fn(student):
        s1, s2 = encode(student, v1), encode(student, v2)
        return -(t1 * jnp.log(s2)).sum(-1).mean() - (t2 * jnp.log(s1)).sum(-1).mean()

    loss, g = jax.value_and_grad(loss_fn)(state.student)
    u, opt = tx.update(g, state.opt, state.student)
    student = optax.apply_updates(state.student, u)
    teacher = optax.incremental_update(student, state.teacher, 0.01)
    return state._replace(student=student, teacher=teacher, opt=opt, key=key), loss


def main():
    init_key, data_key = jax.random.split(jax.random.key(0))
    state = init(init_key)
    for k in jax.random.split(data_key, 10):
        state, loss = update(state, jax.random.normal(k, (32, 8)))
    print(float(loss))


if __name__ == "__main__":
    main()
