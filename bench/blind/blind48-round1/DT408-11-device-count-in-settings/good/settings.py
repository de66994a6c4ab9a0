import jax

PER_DEVICE = 16
LR = 0.1


def local_batch():
    return PER_DEVICE * jax.local_device_count()
