"""PBT: members with their own keys in a stacked state, exploit/explore copies weights but keeps each member's own key."""
from typing import NamedTuple

import jax
import jax.numpy as jnp


class Member(NamedTuple):
    w: jax.Array
    lr: jax.Array
    key: jax.Array
    score: jax.Array


def create(key):
    key, w_key, lr_key = jax.random.split(key, 3)
    return Member(jax.random.normal(w_key, (4,)), jax.random.uniform(lr_key, minval=0.001, maxval=0.2), key, jnp.inf)


def train(member):
    key, x_key = jax.random.split(member.key)
    x = jax.random.normal(x_key, (32, 4))
    loss, g = jax.value_and_grad(lambda w: jnp.mean((x @ w - x.sum(1)) ** 2))(member.w)
    return Member(member.w - member.lr * g, member.lr, key, loss)


def exploit(members):
    order = jnp.argsort(members.score)
    best, worst = order[0], order[-1]
    keys = members.key
    new_key, sub = jax.random.split(keys[worst])
    lr = members.lr.at[worst].set(members.lr[best] * jnp.exp(0.2 * jax.random.normal(sub)))
    return members._replace(w=members.w.at[worst].set(members.w[best]), lr=lr, key=keys.at[worst].set(new_key))


@jax.jit
def generation(members):
    members = jax.lax.fori_loop(0, 5, lambda _, m: jax.vmap(train)(m), members)
    return exploit(members)


def main():
    members = jax.vmap(create)(jax.random.split(jax.random.key(0), 6))
    for g in range(5):
        members = generation(members)
    print(members.score.min(), members.lr)


if __name__ == "__main__":
    main()
