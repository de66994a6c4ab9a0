import jax

PER_DEVICE = 16
LOCAL_BATCH = PER_DEVICE * jax.local_device_count()
LR = 0.1
