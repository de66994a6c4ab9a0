import pathlib
import shutil


class Folder:
    def __init__(self, path):
        self.path = pathlib.Path(path)

    def fresh(self):
        shutil.rmtree(self.path, ignore_errors=True)
        self.path.mkdir(parents=True, exist_ok=True)
        return self
