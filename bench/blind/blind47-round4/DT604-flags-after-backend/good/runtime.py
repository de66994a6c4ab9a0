import os


def virtual_devices(count: int) -> None:
    os.environ["XLA_FLAGS"] = f"--xla_force_host_platform_device_count={count}"
