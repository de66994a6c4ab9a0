import os


def apply(double: bool) -> None:
    if double:
        os.environ["JAX_ENABLE_X64"] = "1"
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
