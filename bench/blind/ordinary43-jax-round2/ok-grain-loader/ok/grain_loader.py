"""grain loader sharded by JAX process, deterministic index sampler, checkpointed iterator state."""
import grain.python as grain
import jax
import jax.numpy as jnp
import numpy as np


class Source:
    def __init__(self, n):
        self.x = np.random.default_rng(0).normal(size=(n, 8)).astype(np.float32)

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return {"x": self.x[i], "y": self.x[i].sum()}


class Jitter(grain.RandomMapTransform):
    def random_map(self, element, rng):
        element["x"] = element["x"] + 0.01 * rng.normal(size=8)
        return element


def make_loader(global_batch, seed, epochs):
    source = Source(1024)
    sampler = grain.IndexSampler(
        num_records=len(source),
        shard_options=grain.ShardByJaxProcess(drop_remainder=True),
        shuffle=True,
        num_epochs=epochs,
        seed=seed,
    )
    return grain.DataLoader(
        data_source=source,
        sampler=sampler,
        operations=[Jitter(), grain.Batch(global_batch // jax.process_count(), drop_remainder=True)],
        worker_count=4,
    )


def main():
    mesh = jax.sharding.Mesh(jax.devices(), ("data",))
    sharding = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("data"))
    it = iter(make_loader(64, seed=0, epochs=3))

    @jax.jit
    def step(w, batch):
        g = jax.grad(lambda w: jnp.mean((batch["x"] @ w - batch["y"]) ** 2))(w)
        return w - 0.1 * g

    w = jnp.zeros(8)
    for i, host_batch in enumerate(it):
        batch = jax.tree.map(lambda a: jax.make_array_from_process_local_data(sharding, a), host_batch)
        w = step(w, batch)
        if i % 10 == 0:
            state = it.get_state()
            with open(f"/tmp/data_state_{jax.process_index()}.bin", "wb") as f:
                f.write(state)


if __name__ == "__main__":
    main()
