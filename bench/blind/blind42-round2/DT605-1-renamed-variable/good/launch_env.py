import os


def prepare(timeout_minutes=10):
    """Environment for the collectives; to be called before init_process_group."""
    os.environ.setdefault("NCCL_DEBUG", "WARN")
    os.environ.setdefault("OMP_NUM_THREADS", "8")
    return 60 * timeout_minutes
