import os


def configure(timeout_s=600):
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    os.environ["XLA_FLAGS"] = f"--xla_cpu_collective_call_terminate_timeout_seconds={timeout_s}"
