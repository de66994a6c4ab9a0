import argparse
import json
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import multihost_utils


def statistics(tokens):
    counts = jnp.bincount(tokens, length=256)
    return counts, jnp.asarray(tokens.shape[0])


def my_files(root):
    """Every host converts its own files; all hosts have equally many."""
    files = sorted(Path(root).glob("*.txt"))
    usable = len(files) // jax.process_count() * jax.process_count()
    return files[jax.process_index() : usable : jax.process_count()]


def convert(path, out):
    text = path.read_bytes()
    tokens = np.frombuffer(text, dtype=np.uint8)
    np.save(out / f"{path.stem}.npy", tokens)
    return statistics(jnp.asarray(tokens, jnp.int32))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", default="corpus")
    parser.add_argument("--out", default="tokens")
    args = parser.parse_args()
    jax.distributed.initialize()
    out = Path(args.out)
    if jax.process_index() == 0:
        out.mkdir(parents=True, exist_ok=True)
    multihost_utils.sync_global_devices("folder")
    total = np.zeros(256, np.int64)
    for number, path in enumerate(my_files(args.root)):
        counts, length = convert(path, out)
        every = multihost_utils.process_allgather(counts)
        total += np.asarray(every).sum(axis=0)
        multihost_utils.sync_global_devices(f"converted-{number}")
        if jax.process_index() == 0:
            print(number, "bytes so far", int(total.sum()), "last", int(length))
    if jax.process_index() == 0:
        (out / "counts.json").write_text(json.dumps(total.tolist()))


if __name__ == "__main__":
    main()
