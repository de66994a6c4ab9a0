import jax
import jax.numpy as jnp


@jax.custom_vjp
def fused_square(x):
    return x * x


fused_square.defvjp(lambda x: (x * x, x), lambda x, g: (2.0 * x * g,))


def loss_fn(params, x, y):
    h = jax.nn.relu(x @ params["w"] + params["b"])
    return jnp.mean(fused_square(h @ params["v"] - y))
