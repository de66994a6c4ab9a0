import json
import pathlib
from collections import Counter

import jax
from jax.experimental import multihost_utils


class CharVocab:
    def __init__(self, chars):
        self.index = {c: i for i, c in enumerate(chars)}

    def __len__(self):
        return len(self.index)

    def encode(self, text):
        return [self.index[c] for c in text if c in self.index]

    @classmethod
    def load(cls, path):
        return cls(json.loads(path.read_text()))


def build(corpus, path, size=64):
    """The file lies on the disk that all hosts share."""
    path = pathlib.Path(path)
    if jax.process_index() == 0:
        counts = Counter(pathlib.Path(corpus).read_text())
        path.write_text(json.dumps([c for c, _ in counts.most_common(size)]))
    return CharVocab.load(path)
