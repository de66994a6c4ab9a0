"""What Python itself would make of values that are known to their last part is known, alike or rank by rank."""

from __future__ import annotations

from typing import Any

import pytest

from bench.values.believed import LOST, RIGHT, UNKNOWN, beliefs
from bench.values.samples import Sample

EXPRESSIONS = (
    ("x[1:]", "adam", "sgd"),
    ("x[-2::-1]", "adam", "sgd"),
    ("x[:2] + [9]", [3, 1, 2], [4]),
    ("x[True]", (4, 5), (6, 7)),
    ("x.split('_')[0]", "run_3", "test_4"),
    ("isinstance(x.split(), list)", "a b", None),
    ("x.endswith(('.pt', '.bin'))", "weights.pt", "weights.txt"),
    ("'{:05d}-{name!r}'.format(x, name='a')", 3, 12),
    ("f'{x:05d}|{x / 3:.2f}|{str(x)!r:>8}'", 3, 12),
    ("'%05.1f of %d' % (x, 7)", 3, 12),
    ("f'{x} {[x, x]} {(x, None)}'", 1, 2),
    ("len(x.encode()) + len(x)", "ab", "abc"),
    ("any(x), all(x)", ["", "b"], ["a", "b"]),
    ("list(reversed(x))", ["a", "b", "c"], ["d", "e", "f"]),
    ("len({*x}) + len(set(x))", [1, 1, 2], None),
    ("sorted(x), sorted(x, reverse=True)", ["b", "a"], ["d", "c"]),
    ("2 * x", [1, 2], [3, 4]),
    ("list(zip(x, range(2))), list(enumerate(x, 1))", ["a", "b"], ["c", "d"]),
    ("x.get(2, 'none')", {2: "two"}, None),
    ("dict(kind='adam', **x)", {"lr": 0.1}, {"lr": 0.2}),
    ("[4, 5, 6].pop(x)", 0, 2),
    ("tuple(range(x, x + 2))", 2, None),
    ("dict.fromkeys(x, 0)", ["a", "b"], None),
    ("isinstance(x, tuple | list), isinstance(x, int | None)", [1], None),
    ("type(x) is int, type(x) in (str, list), type(x).__name__", 3, "a"),
    ("callable(x), callable(int)", 3, None),
    ("hasattr(x, 'rank'), getattr(x, 'rank', 7)", "a", None),
    ("x == 'a', x != [1], x in ([1], [2])", [1], [3]),
    ("re.sub('[0-9]+', '#', x), re.match('([a-z]+)', x).group(1)", "a12", "b3"),
    ("os.path.splitext(os.path.basename(x))", "runs/a.pt", "runs/b.bin"),
    ("math.floor(math.log2(x) * math.pi)", 8, 16),
    ("json.loads(json.dumps(x))['a']", {"a": [1, 2]}, {"a": [3]}),
    ("functools.reduce(lambda a, b: a * b, x, 1)", [2, 3], [4, 5]),
    ("list(itertools.product(x, [1]))", ["a"], ["b"]),
)
IMPORTS = "import functools, itertools, json, math, os, re\n"


@pytest.mark.parametrize(("text", "value", "other"), EXPRESSIONS, ids=[text for text, *_ in EXPRESSIONS])
def test_expression(text: str, value: Any, other: Any) -> None:
    belief = next(beliefs([sample(f"result = {text}\n", value, other)]))
    assert belief.known == RIGHT
    assert belief.parted in ("", RIGHT)


LISTS = """
names = list(x)
names.insert(1, "new")
names.remove("b")
copied = names.copy()
copied.append("last")
first = names.pop(0)
result = names, copied, first, names.index("new")
"""


def test_methods_of_lists() -> None:
    assert next(beliefs([sample(LISTS, ["a", "b", "c"], None)])).known == RIGHT


FORGOTTEN = """
flags = [False, False]
flags[somebody] = True
result = flags[0]
"""
OTHERWISE = """
found = []
if somebody:
    pass
else:
    found.append(x)
result = bool(found)
"""


@pytest.mark.parametrize("text", [FORGOTTEN, OTHERWISE])
def test_what_may_have_changed_is_not_known(text: str) -> None:
    belief = next(beliefs([sample(text, 1, None)]))
    assert belief.known in (UNKNOWN, LOST)


def sample(text: str, value: Any, other: Any) -> Sample:
    results = []
    for one in (value, other):
        scope: dict[str, Any] = {"x": one, "somebody": 0}
        exec(IMPORTS + text, scope)
        results.append(scope["result"])
        if other is None:
            break
    changed = None if other is None else ("x", repr(other))
    return Sample(IMPORTS + text, (("x", repr(value)),), results[0], changed, results[-1], "", 1)
