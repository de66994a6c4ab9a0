import logging
import sys
from pathlib import Path


def setup(name, folder, is_main):
    logger = logging.getLogger(name)
    logger.setLevel(logging.INFO)
    form = logging.Formatter("%(asctime)s %(levelname)s %(message)s")
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    handlers = [logging.StreamHandler(sys.stderr)]
    if is_main:
        handlers.append(logging.FileHandler(folder / "train.log", mode="w"))
    for handler in handlers:
        handler.setFormatter(form)
        logger.addHandler(handler)
    return logger
