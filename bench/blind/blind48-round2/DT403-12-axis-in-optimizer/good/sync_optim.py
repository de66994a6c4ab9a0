import jax
import optax


def cross_replica_mean(axis_name="batch"):
    """An optax transformation that averages the updates over the devices."""

    def init(params):
        del params
        return optax.EmptyState()

    def update(updates, state, params=None):
        del params
        return jax.lax.pmean(updates, axis_name), state

    return optax.GradientTransformation(init, update)


def build(lr):
    return optax.chain(cross_replica_mean("data"), optax.clip_by_global_norm(1.0), optax.adamw(lr))
