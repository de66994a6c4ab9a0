import jax
import optax


def averaged_over(axis: str) -> optax.GradientTransformation:
    def init(params):
        return optax.EmptyState()

    def update(grads, state, params=None):
        return jax.lax.pmean(grads, axis), state

    return optax.GradientTransformation(init, update)


def build(axis, lr=1e-2, every=4):
    return optax.MultiSteps(optax.chain(averaged_over(axis), optax.clip_by_global_norm(1.0), optax.adam(lr)), every)
