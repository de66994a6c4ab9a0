import jax
import jax.numpy as jnp
import optax

tx = optax.inject_hyperparams(optax.adam)(learning_rate=1e-3)


def init(key):
    a, b = jax.random.split(key)
    params = {"w": jax.random.normal(a, (4, 8)), "v": jax.random.normal(b, (8,))}
    return params, tx.init(params)


def predict(params, x):
    return jnp.tanh(x @ params["w"]) @ params["v"]


def train(member, key, steps=10):
    def body(carry, k):
        params, opt_state = carry
        x = jax.random.normal(k, (32, 4))
        loss, grads = jax.value_and_grad(lambda p: jnp.mean((predict(p, x) - x.sum(-1)) ** 2))(params)
        updates, opt_state = tx.update(grads, opt_state)
        return (optax.apply_updates(params, updates), opt_state), loss

    member, losses = jax.lax.scan(body, member, jax.random.split(key, steps))
    return member, losses[-1]
