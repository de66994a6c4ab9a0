from pathlib import Path


class FileFlag:
    """`touch STOP` ends the training after the epoch."""

    def __init__(self, path="STOP"):
        self.path = Path(path)

    def __bool__(self):
        return self.path.exists()
