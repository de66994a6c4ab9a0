from datetime import datetime
from pathlib import Path


def make_run_dir(root):
    path = Path(root) / datetime.now().strftime("%Y%m%d-%H%M%S")
    path.mkdir(parents=True, exist_ok=True)
    return path
