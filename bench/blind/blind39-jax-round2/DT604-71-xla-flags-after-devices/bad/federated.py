"""Federated averaging, one client per (possibly simulated) device."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

from cli import parse


def local_train(weights, x, y, steps=5, lr=0.1):
    def loss(w):
        return jnp.mean((x @ w - y) ** 2)

    def body(_, w):
        return w - lr * jax.grad(loss)(w)

    return jax.lax.fori_loop(0, steps, body, weights)


def build_round(mesh):
    def one_round(weights, x, y):
        return jax.lax.pmean(local_train(jax.lax.pcast(weights, "clients", to="varying"), x[0], y[0]), "clients")

    return jax.jit(jax.shard_map(one_round, mesh=mesh, in_specs=(P(), P("clients"), P("clients")), out_specs=P()))


def main():
    args = parse()
    mesh = Mesh(np.array(jax.devices()), ("clients",))
    clients = mesh.devices.size
    rng = np.random.default_rng(0)
    truth = rng.normal(size=8)
    x = rng.normal(size=(clients, 64, 8)).astype(np.float32)
    y = (x @ truth + 0.1 * rng.normal(size=(clients, 64))).astype(np.float32)
    x, y = jax.device_put((x, y), NamedSharding(mesh, P("clients")))
    weights = jnp.zeros(8)
    one_round = build_round(mesh)
    for _ in range(args.rounds):
        weights = one_round(weights, x, y)
    print(clients, np.abs(np.asarray(weights) - truth).max())


if __name__ == "__main__":
    main()
