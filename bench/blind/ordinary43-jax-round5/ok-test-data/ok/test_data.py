"""Unit tests of host sharding with monkeypatched process index, hypothesis-free; keys by indirect fixtures."""
import jax
import jax.numpy as jnp
import numpy as np
import pytest


def rows_of(n, hosts, host):
    per = n // hosts
    return np.arange(host * per, (host + 1) * per)


class KeyGen:
    def __init__(self, seed):
        self.key = jax.random.key(seed)

    def __call__(self):
        self.key, out = jax.random.split(self.key)
        return out


@pytest.fixture(params=[0, 1])
def keygen(request):
    return KeyGen(request.param)


@pytest.mark.parametrize("hosts", [1, 2, 4])
def test_hosts_share_nothing(hosts):
    parts = [rows_of(64, hosts, h) for h in range(hosts)]
    assert len(np.unique(np.concatenate(parts))) == 64


def test_local_rows(monkeypatch):
    monkeypatch.setattr(jax, "process_index", lambda: 1)
    monkeypatch.setattr(jax, "process_count", lambda: 2)
    np.testing.assert_array_equal(rows_of(8, jax.process_count(), jax.process_index()), [4, 5, 6, 7])


def test_keys_differ(keygen):
    draws = [float(jax.random.normal(keygen())) for _ in range(4)]
    assert len(set(draws)) == 4


def test_same_key_same_numbers(keygen):
    key = keygen()
    a, b = jax.random.normal(key, (3,)), jax.random.normal(key, (3,))
    assert (a == b).all()


def test_vmap_equals_loop(keygen):
    keys = jax.random.split(keygen(), 3)
    looped = jnp.stack([jax.random.normal(k) for k in keys])
    np.testing.assert_allclose(jax.vmap(jax.random.normal)(keys), looped)
