import os

PATIENCE = {
    "XLA_FLAGS": "--xla_cpu_collective_call_terminate_timeout_seconds=120",
    "TF_CPP_MIN_LOG_LEVEL": "1",
}


def configure() -> None:
    for name, value in PATIENCE.items():
        os.environ.setdefault(name, value)
