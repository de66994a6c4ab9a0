"""Keys mapped over a thread pool and an asyncio gather."""
import asyncio
from concurrent.futures import ThreadPoolExecutor

import jax
import jax.numpy as jnp


def simulate(key, n=1000):
    x_key, y_key = jax.random.split(key)
    x, y = jax.random.uniform(x_key, (n,)), jax.random.uniform(y_key, (n,))
    return float(4 * jnp.mean(x**2 + y**2 < 1))


async def worker(name, key, results):
    for i in range(3):
        results[name, i] = await asyncio.to_thread(simulate, jax.random.fold_in(key, i))


async def gather(key):
    results = {}
    await asyncio.gather(*(worker(n, k, results) for n, k in enumerate(jax.random.split(key, 4))))
    return results


def main():
    pool_key, async_key = jax.random.split(jax.random.key(0))
    with ThreadPoolExecutor(4) as pool:
        estimates = list(pool.map(simulate, jax.random.split(pool_key, 8)))
        futures = [pool.submit(simulate, jax.random.fold_in(pool_key, 1000 + i)) for i in range(4)]
        estimates += [f.result() for f in futures]
    more = asyncio.run(gather(async_key))
    print(sum(estimates) / len(estimates), sum(more.values()) / len(more))


if __name__ == "__main__":
    main()
