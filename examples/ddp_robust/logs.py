"""Where does a rank write what it has to say? Its own file, and the console on rank 0 only."""

from __future__ import annotations

import logging
import sys
from pathlib import Path


def rank_logger(rank: int, log_dir: Path, debug: bool = False) -> logging.Logger:
    log_dir.mkdir(parents=True, exist_ok=True)
    logger = logging.getLogger(f"ddp.rank{rank}")
    logger.handlers.clear()
    logger.propagate = False
    logger.setLevel(logging.DEBUG if debug else logging.INFO)
    layout = logging.Formatter(f"%(asctime)s rank {rank} %(levelname)s %(message)s")
    handlers: list[logging.Handler] = [logging.FileHandler(log_dir / f"rank_{rank}.log")]
    if rank == 0:
        handlers.append(logging.StreamHandler(sys.stdout))
    for handler in handlers:
        handler.setFormatter(layout)
        logger.addHandler(handler)
    return logger
