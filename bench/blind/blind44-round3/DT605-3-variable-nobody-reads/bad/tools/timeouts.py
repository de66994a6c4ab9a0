import os


def patient(seconds):
    """Slow hosts need longer than the default."""
    os.environ.setdefault("XLA_RENDEZVOUS_WAIT_SECONDS", str(seconds))
