import os

DEFAULTS = {
    "NCCL_DEBUG": "WARN",
    "PYTORCH_CUDA_ALLOC_CONFIG": "expandable_segments:True",
    "OMP_NUM_THREADS": "4",
}


def apply_defaults():
    for name, value in DEFAULTS.items():
        os.environ.setdefault(name, value)
