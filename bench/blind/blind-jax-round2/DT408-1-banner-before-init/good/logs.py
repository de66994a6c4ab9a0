import logging
import sys

import jax


def get_logger(name):
    """A logger that talks on the first process only."""
    logger = logging.getLogger(name)
    handler = logging.StreamHandler(sys.stdout)
    handler.setFormatter(logging.Formatter(f"[host {jax.process_index()}] %(message)s"))
    logger.addHandler(handler)
    logger.setLevel(logging.INFO if jax.process_index() == 0 else logging.ERROR)
    logger.propagate = False
    return logger
