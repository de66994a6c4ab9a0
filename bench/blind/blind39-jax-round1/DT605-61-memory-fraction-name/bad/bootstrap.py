"""Environment of a worker; must be imported before jax."""
import os

os.environ.setdefault("XLA_PYTHON_CLIENT_MEMORY_FRACTION", "0.60")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "1")
