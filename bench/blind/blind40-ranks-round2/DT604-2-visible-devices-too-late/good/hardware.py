import os

import jax


def describe():
    kinds = {d.device_kind for d in jax.devices()}
    return f"{jax.process_count()} processes, {jax.device_count()} devices: {', '.join(sorted(kinds))}"


def tune(latency_hiding=True, preallocate=False):
    """Settings that XLA reads when the backend comes up."""
    flags = os.environ.get("XLA_FLAGS", "").split()
    if latency_hiding:
        flags.append("--xla_gpu_enable_latency_hiding_scheduler=true")
    os.environ["XLA_FLAGS"] = " ".join(flags)
    os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "true" if preallocate else "false"
