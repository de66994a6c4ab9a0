import jax
import jax.numpy as jnp


def sync(tree, axis, only):
    return {name: jax.lax.pmean(leaf, axis) if name in only else leaf for name, leaf in tree.items()}


def sgd(params, grads, lr):
    return {name: params[name] - lr * grads[name] for name in params}
