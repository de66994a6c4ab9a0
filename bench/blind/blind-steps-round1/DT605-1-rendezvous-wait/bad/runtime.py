import os

PATIENCE = {
    "XLA_RENDEZVOUS_WAIT_SECONDS": "120",
    "TF_CPP_MIN_LOG_LEVEL": "1",
}


def configure() -> None:
    for name, value in PATIENCE.items():
        os.environ.setdefault(name, value)
