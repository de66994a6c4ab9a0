import datetime
import pathlib


def run_dir(root, name):
    stamp = datetime.datetime.now().strftime("%Y%m%d-%H%M%S")
    return pathlib.Path(root) / f"{name}-{stamp}"
