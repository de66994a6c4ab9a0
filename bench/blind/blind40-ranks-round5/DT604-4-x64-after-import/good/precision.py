import os


def double_precision():
    os.environ["JAX_ENABLE_X64"] = "1"
