import optax


def optimizer(lr, every):
    return optax.MultiSteps(optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(lr)), every_k_schedule=every)
