"""Keys used twice or shared, collectives that only some devices reach: the cases that JAX's own checks split."""

from __future__ import annotations

from pathlib import Path

import pytest

from dtlint import engine
from dtlint.config import Config

HEAD = """
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh
from jax.sharding import PartitionSpec as P

n = jax.local_device_count()
mesh = Mesh(np.array(jax.devices()), ("i",))

"""


def codes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> list[str]:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "program.py").write_text(HEAD + text, encoding="utf-8")
    report = engine.check(["program.py"], Config(cache=False))
    assert not report.incomplete
    return sorted(finding.code for finding in report.findings)


KEYS = {
    "raw key twice": (
        "DT302",
        """
key = jax.random.PRNGKey(0)
a = jax.random.normal(key, (3,))
b = jax.random.normal(key, (3,))
""",
        """
key = jax.random.PRNGKey(0)
first, second = jax.random.split(key)
a = jax.random.normal(first, (3,))
b = jax.random.normal(second, (3,))
""",
    ),
    "typed key twice": (
        "DT302",
        """
key = jax.random.key(0)
a = jax.random.uniform(key, (3,))
b = jax.random.split(key)
""",
        """
key = jax.random.key(0)
key, sub = jax.random.split(key)
a = jax.random.uniform(sub, (3,))
b = jax.random.split(key)
""",
    ),
    "replicated key in shard_map": (
        "DT301",
        """
def noisy(x, key):
    return x + jax.random.normal(key, x.shape)

f = jax.shard_map(noisy, mesh=mesh, in_specs=(P("i"), P()), out_specs=P("i"))
print(f(jnp.ones((8, 2)), jax.random.key(0)))
""",
        """
def noisy(x, key):
    key = jax.random.fold_in(key, lax.axis_index("i"))
    return x + jax.random.normal(key, x.shape)

f = jax.shard_map(noisy, mesh=mesh, in_specs=(P("i"), P()), out_specs=P("i"))
print(f(jnp.ones((8, 2)), jax.random.key(0)))
""",
    ),
    "pmap in_axes=(None, 0)": (
        "DT301",
        """
f = jax.pmap(lambda key, x: x + jax.random.normal(key, x.shape), in_axes=(None, 0))
print(f(jax.random.key(0), jnp.ones((n, 2)) * jnp.arange(n)[:, None]))
""",
        """
f = jax.pmap(lambda key, x: x + jax.random.normal(key, x.shape), in_axes=(0, 0))
print(f(jax.random.split(jax.random.key(0), n), jnp.ones((n, 2)) * jnp.arange(n)[:, None]))
""",
    ),
    "loop": (
        "DT302",
        """
key = jax.random.key(1)
total = 0.0
for step in range(10):
    total += jax.random.normal(key, ())
""",
        """
key = jax.random.key(1)
total = 0.0
for step in range(10):
    total += jax.random.normal(jax.random.fold_in(key, step), ())
""",
    ),
    "comprehension": (
        "DT302",
        "key = jax.random.key(1)\nrows = [jax.random.normal(key, (3,)) for _ in range(10)]\n",
        "key = jax.random.key(1)\nrows = [jax.random.normal(k, (3,)) for k in jax.random.split(key, 10)]\n",
    ),
    "helper in a loop": (
        "DT302",
        """
def act(key, x):
    key, sub = jax.random.split(key)
    return x + jax.random.normal(sub, x.shape)

key = jax.random.key(1)
x = jnp.zeros(3)
for step in range(10):
    x = act(key, x)
""",
        """
def act(key, x):
    key, sub = jax.random.split(key)
    return key, x + jax.random.normal(sub, x.shape)

key = jax.random.key(1)
x = jnp.zeros(3)
for step in range(10):
    key, x = act(key, x)
""",
    ),
    "key handed back unchanged": (
        "DT302",
        """
def act(key, x):
    return key, x + jax.random.normal(key, x.shape)

key = jax.random.key(1)
x = jnp.zeros(3)
for step in range(10):
    key, x = act(key, x)
""",
        """
def act(key, x):
    key, sub = jax.random.split(key)
    return key, x + jax.random.normal(sub, x.shape)

key = jax.random.key(1)
x = jnp.zeros(3)
for step in range(10):
    key, x = act(key, x)
""",
    ),
    "attribute": (
        "DT302",
        """
class Agent:
    def __init__(self, seed):
        self.key = jax.random.key(seed)

    def act(self, logits):
        return jax.random.categorical(self.key, logits)

agent = Agent(0)
for step in range(10):
    print(agent.act(jnp.zeros(4)))
""",
        """
class Agent:
    def __init__(self, seed):
        self.key = jax.random.key(seed)

    def act(self, logits):
        self.key, sub = jax.random.split(self.key)
        return jax.random.categorical(sub, logits)

agent = Agent(0)
for step in range(10):
    print(agent.act(jnp.zeros(4)))
""",
    ),
    "fori_loop closes over a key": (
        "DT302",
        """
key = jax.random.key(1)
print(lax.fori_loop(0, 10, lambda i, x: x + jax.random.normal(key, x.shape), jnp.zeros(3)))
""",
        """
key = jax.random.key(1)
print(lax.fori_loop(0, 10, lambda i, x: x + jax.random.normal(jax.random.fold_in(key, i), x.shape), jnp.zeros(3)))
""",
    ),
}


@pytest.mark.parametrize("name", KEYS)
def test_keys(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code, bad, good = KEYS[name]
    assert codes(tmp_path, monkeypatch, bad) == [code]
    assert codes(tmp_path, monkeypatch, good) == []


QUIET = {
    "one of two branches": """
def noise(key, gaussian):
    if gaussian:
        return jax.random.normal(key, (3,))
    return jax.random.uniform(key, (3,))

def later(key, gaussian):
    if gaussian:
        x = jax.random.normal(key, (3,))
    else:
        x = jax.random.uniform(key, (3,))
    return x
""",
    "the same question twice": """
def noise(key, gaussian, x):
    if gaussian:
        x = x + jax.random.normal(key, (3,))
    x = x * 2
    if not gaussian:
        x = x + jax.random.uniform(key, (3,))
    return x
""",
    "a loop that ends by its first draw": """
def first(key, names):
    for name in names:
        if name == "normal":
            return jax.random.normal(key, (3,))
    return None
""",
    "an iterator of keys": """
def keys(seed):
    key = jax.random.key(seed)
    while True:
        key, sub = jax.random.split(key)
        yield sub

stream = keys(0)
a = jax.random.normal(next(stream), (3,))
b = jax.random.normal(next(stream), (3,))
""",
    "many fold_ins of one key": """
base = jax.random.key(0)
a = jax.random.normal(jax.random.fold_in(base, 1), (3,))
b = jax.random.normal(jax.random.fold_in(base, 2), (3,))
for step in range(3):
    c = jax.random.normal(jax.random.fold_in(base, step), (3,))
""",
    "keys carried by scan": """
def body(key, x):
    key, sub = jax.random.split(key)
    return key, x + jax.random.normal(sub, x.shape)

key, out = lax.scan(body, jax.random.key(0), jnp.zeros((4, 3)))
print(out, jax.random.normal(key, (3,)))
""",
    "one key per row by vmap": """
keys = jax.random.split(jax.random.key(0), 16)
print(jax.vmap(jax.random.normal)(keys))
""",
    "an instance's stream": """
class Stream:
    def __init__(self, seed):
        self.key = jax.random.key(seed)

    def next(self):
        self.key, sub = jax.random.split(self.key)
        return sub

stream = Stream(0)
for step in range(4):
    a = jax.random.normal(stream.next(), (3,))
    b = jax.random.normal(stream.next(), (3,))
""",
}


@pytest.mark.parametrize("name", QUIET)
def test_right_uses_are_silent(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert codes(tmp_path, monkeypatch, QUIET[name]) == []


def mapped(body: str, check: str = "") -> str:
    return f"""
{body}

f = jax.shard_map(f, mesh=mesh, in_specs=P("i"), out_specs=P("i"){check})
print(jax.jit(f)(jnp.ones((8, 2))))
"""


CONTROL = {
    "cond with psum": (
        "def f(x):\n    return lax.cond(lax.axis_index('i') == 0, lambda v: lax.psum(v, 'i'), lambda v: v, x)\n",
        "def f(x):\n    return lax.cond(lax.psum(1, 'i') > 2, lambda v: lax.psum(v, 'i'), lambda v: v, x)\n",
    ),
    "cond with all_gather": (
        "def f(x):\n"
        "    return lax.cond(lax.axis_index('i') < 2, lambda v: lax.all_gather(v, 'i').sum(0), lambda v: v, x)\n",
        "def f(x):\n    g = lax.all_gather(x, 'i').sum(0)\n"
        "    return lax.cond(lax.axis_index('i') < 2, lambda v: g, lambda v: v, x)\n",
    ),
    "cond with psum and pcast": (
        "def f(x):\n    def use(v):\n        return lax.pcast(lax.psum(v, 'i'), 'i', to='varying')\n"
        "    return lax.cond(x.sum() > 0, use, lambda v: v, x)\n",
        "def f(x):\n    def use(v):\n        return lax.pcast(lax.psum(v, 'i'), 'i', to='varying')\n"
        "    return lax.cond(lax.pmax(x.sum(), 'i') > 0, use, lambda v: v, x)\n",
    ),
    "while_loop around ppermute": (
        "def f(x):\n    return lax.while_loop(lambda v: v.sum() < 9,"
        " lambda v: v + lax.ppermute(v, 'i', [(0, 1), (1, 0)]), x)\n",
        "def f(x):\n    return lax.while_loop(lambda v: lax.pmin(v.sum(), 'i') < 9,"
        " lambda v: v + lax.ppermute(v, 'i', [(0, 1), (1, 0)]), x)\n",
    ),
    "switch": (
        "def f(x):\n    return lax.switch(lax.axis_index('i') % 2, [lambda v: lax.psum(v, 'i'), lambda v: v], x)\n",
        "def f(x):\n"
        "    return lax.switch(lax.axis_index('i') % 2,"
        " [lambda v: lax.psum(v, 'i'), lambda v: -lax.psum(v, 'i')], x)\n",
    ),
}


@pytest.mark.parametrize("check", ["", ", check_vma=False"])
@pytest.mark.parametrize("name", CONTROL)
def test_control(name: str, check: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bad, good = CONTROL[name]
    assert codes(tmp_path, monkeypatch, mapped(bad, check)) == ["DT406"]
    assert codes(tmp_path, monkeypatch, mapped(good, check)) == []
