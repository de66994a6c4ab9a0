import os


def configure(timeout_s=600):
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    os.environ["XLA_RENDEZVOUS_WAIT_SECONDS"] = str(timeout_s)
