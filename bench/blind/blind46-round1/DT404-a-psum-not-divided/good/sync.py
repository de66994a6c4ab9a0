import jax


def allreduce(tree, axis_name):
    return jax.tree.map(lambda leaf: jax.lax.psum(leaf, axis_name), tree)


def mean_scalar(value, axis_name):
    return jax.lax.pmean(value, axis_name)
