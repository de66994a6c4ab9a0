import os

import jax


def cpu_devices(n):
    """n virtual devices where there is no accelerator."""
    flags = os.environ.get("XLA_FLAGS", "")
    os.environ["XLA_FLAGS"] = f"{flags} --xla_force_host_platform_device_count={n}"
    return jax.local_devices()
