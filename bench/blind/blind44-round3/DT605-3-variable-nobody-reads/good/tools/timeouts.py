import os


def patient(seconds):
    """Slow hosts need longer than the default."""
    flags = os.environ.get("XLA_FLAGS", "")
    os.environ["XLA_FLAGS"] = f"{flags} --xla_cpu_collective_call_terminate_timeout_seconds={seconds}".strip()
