import collections
import json


def build(lines, size):
    counts = collections.Counter(w for line in lines for w in line.split())
    return {w: i for i, (w, _) in enumerate(counts.most_common(size))}


def save(path, vocab):
    path.write_text(json.dumps(vocab))


def load(path):
    return json.loads(path.read_text())
