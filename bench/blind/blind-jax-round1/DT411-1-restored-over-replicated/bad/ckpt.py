import os
import tempfile

from flax import serialization


class FileCheckpoint:
    def __init__(self, path):
        self.path = path

    def exists(self):
        return os.path.exists(self.path)

    def save(self, state):
        data = serialization.to_bytes(state)
        handle, tmp = tempfile.mkstemp(dir=os.path.dirname(self.path) or ".")
        with os.fdopen(handle, "wb") as f:
            f.write(data)
        os.replace(tmp, self.path)

    def load(self, target):
        with open(self.path, "rb") as f:
            return serialization.from_bytes(target, f.read())
