import jax
import jax.numpy as jnp

from metr.core import AXIS, error, mean_over_devices


def train(w, x):
    loss, grad = jax.value_and_grad(lambda w: jnp.mean(error(w, x) ** 2))(w)
    return w - 0.1 * jax.lax.pmean(grad, AXIS), mean_over_devices(loss)


def evaluate(w, x):
    return jnp.mean(error(w, x))


p_train = jax.pmap(train, axis_name=AXIS)
j_eval = jax.jit(evaluate)
