import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import NamedSharding, PartitionSpec as P

from index import EmbeddingIndex


def encode(params, tokens):
    pooled = params["emb"][tokens].mean(axis=1)
    out = pooled @ params["proj"]
    return out / jnp.linalg.norm(out, axis=-1, keepdims=True)


def main(global_batch=4096):
    jax.distributed.initialize()
    mesh = jax.make_mesh((jax.device_count(),), ("data",))
    rows = NamedSharding(mesh, P("data"))
    stored = np.load("encoder.npz")
    params = jax.device_put({"emb": stored["emb"], "proj": stored["proj"]}, NamedSharding(mesh, P()))
    run = jax.jit(encode, out_shardings=rows)
    tokens = np.load("corpus_tokens.npy", mmap_mode="r")
    per_host = global_batch // jax.process_count()
    index = EmbeddingIndex()
    for start in range(0, len(tokens) - global_batch + 1, global_batch):
        first = start + jax.process_index() * per_host
        local = np.asarray(tokens[first : first + per_host])
        index.add(run(params, jax.make_array_from_process_local_data(rows, local)))
    index.save("index.npy")


if __name__ == "__main__":
    main()
