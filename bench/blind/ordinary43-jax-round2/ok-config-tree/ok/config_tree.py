"""Config dataclasses, TOML, CLI overrides; the mesh shape from the config; batch checked against the mesh."""
import dataclasses
import sys
import tomllib
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec


@dataclasses.dataclass
class MeshConfig:
    data: int = -1
    model: int = 1

    def build(self):
        shape = [self.data, self.model]
        if -1 in shape:
            known = int(np.prod([s for s in shape if s != -1]))
            shape[shape.index(-1)] = jax.device_count() // known
        return Mesh(np.array(jax.devices()).reshape(shape), ("data", "model"))


@dataclasses.dataclass
class Config:
    seed: int = 0
    global_batch: int = 32
    steps: int = 5
    mesh: MeshConfig = dataclasses.field(default_factory=MeshConfig)

    @classmethod
    def load(cls, argv):
        raw = {}
        for arg in argv:
            if arg.endswith(".toml"):
                raw |= tomllib.loads(Path(arg).read_text())
            else:
                key, value = arg.split("=")
                raw[key] = int(value)
        mesh = MeshConfig(**raw.pop("mesh", {}))
        return cls(mesh=mesh, **raw)


def main(argv):
    cfg = Config.load(argv)
    mesh = cfg.mesh.build()
    if cfg.global_batch % mesh.shape["data"]:
        raise SystemExit("batch does not divide")
    sharding = NamedSharding(mesh, PartitionSpec("data", None))
    per_process = cfg.global_batch // jax.process_count()
    rng = np.random.default_rng([cfg.seed, jax.process_index()])
    w = jax.random.normal(jax.random.key(cfg.seed), (4, 1))
    step = jax.jit(lambda w, x: w - 0.1 * jax.grad(lambda w: jnp.mean((x @ w - x.sum(1, keepdims=True)) ** 2))(w))
    for _ in range(cfg.steps):
        local = rng.normal(size=(per_process, 4)).astype(np.float32)
        x = jax.make_array_from_process_local_data(sharding, local, (cfg.global_batch, 4))
        w = step(w, x)
    print(w.ravel())


if __name__ == "__main__":
    main(sys.argv[1:])
