import json
from collections import Counter
from pathlib import Path


class Vocabulary:
    def __init__(self, words):
        self.index = {word: number for number, word in enumerate(words, start=1)}

    def __len__(self):
        return len(self.index) + 1

    def encode(self, text, length):
        ids = [self.index.get(word, 0) for word in text.split()][:length]
        return ids + [0] * (length - len(ids))

    @classmethod
    def read(cls, path):
        return cls(json.loads(Path(path).read_text()))


def write_vocabulary(path, texts, size):
    counts = Counter(word for text in texts for word in text.split())
    words = [word for word, _ in counts.most_common(size)]
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(json.dumps(words))
