import os


def tune(interface):
    """For the cluster's fabric; NCCL reads these when its first communicator is made."""
    os.environ.setdefault("NCCL_SOCKET_IFNAME", interface)
    os.environ.setdefault("NCCL_IB_TIMEOUT", "22")
    os.environ.setdefault("NCCL_DEBUG", "WARN")
