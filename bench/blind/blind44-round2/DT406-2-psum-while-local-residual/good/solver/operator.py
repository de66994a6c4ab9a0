import jax


def coupled(axis, weight=0.1):
    def matvec(x):
        return x + weight * (x - jax.lax.pmean(x, axis))

    return matvec
