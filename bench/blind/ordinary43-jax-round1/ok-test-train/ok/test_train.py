"""Tests of a training step, with parametrize and fixtures."""
import jax
import jax.numpy as jnp
import numpy as np
import pytest


def dropout(key, x, rate):
    keep = jax.random.bernoulli(key, 1 - rate, x.shape)
    return jnp.where(keep, x / (1 - rate), 0)


@pytest.fixture
def key():
    return jax.random.PRNGKey(0)


def test_dropout_is_deterministic_for_one_key(key):
    x = jnp.ones((8, 8))
    np.testing.assert_array_equal(dropout(key, x, 0.5), dropout(key, x, 0.5))


def test_dropout_differs_for_two_keys(key):
    k1, k2 = jax.random.split(key)
    x = jnp.ones((8, 8))
    assert not np.array_equal(dropout(k1, x, 0.5), dropout(k2, x, 0.5))


@pytest.mark.parametrize("rate", [0.1, 0.5])
def test_scale(key, rate):
    x = jnp.ones((1000,))
    assert abs(float(dropout(key, x, rate).mean()) - 1) < 0.2


def test_jit_agrees_with_eager(key):
    x = jax.random.normal(jax.random.fold_in(key, 1), (16,))
    eager = dropout(key, x, 0.3)
    jitted = jax.jit(dropout, static_argnums=2)(key, x, 0.3)
    np.testing.assert_allclose(eager, jitted)


def test_pmap_psum():
    n = jax.local_device_count()
    out = jax.pmap(lambda x: jax.lax.psum(x, "i"), axis_name="i")(jnp.arange(n))
    np.testing.assert_array_equal(out, np.full(n, n * (n - 1) // 2))
