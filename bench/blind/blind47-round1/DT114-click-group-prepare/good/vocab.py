import json
from collections import Counter
from pathlib import Path


def build(corpus: Path, target: Path, size: int) -> None:
    counts = Counter(corpus.read_text().split())
    words = [word for word, _ in counts.most_common(size)]
    target.write_text(json.dumps({word: i for i, word in enumerate(words)}))


def load(path: Path) -> dict[str, int]:
    return json.loads(path.read_text())
