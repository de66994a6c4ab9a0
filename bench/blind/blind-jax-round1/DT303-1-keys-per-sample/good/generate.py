import argparse

import jax
import numpy as np

from sampler import ParallelSampler


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--num-samples", type=int, default=64)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--rounds", type=int, default=2)
    args = parser.parse_args()
    init_key, key = jax.random.split(jax.random.key(args.seed))
    params = {"w": jax.random.normal(init_key, (6, 6)) / 3}
    sampler = ParallelSampler(params, args.num_samples, dim=6)
    chunks = []
    for _ in range(args.rounds):
        key, sub = jax.random.split(key)
        chunks.append(np.asarray(sampler(sub)))
    samples = np.concatenate(chunks)
    print(samples.shape, samples.std())


if __name__ == "__main__":
    main()
