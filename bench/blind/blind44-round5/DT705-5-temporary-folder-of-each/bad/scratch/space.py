import pathlib
import tempfile


class Space:
    def __init__(self, prefix):
        self.path = pathlib.Path(tempfile.mkdtemp(prefix=prefix, dir="/nfs/tmp"))

    def file(self, name):
        return self.path / name
