from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import optax
import orbax.checkpoint as ocp
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P
from torch.utils.data import DataLoader, Dataset

TX = optax.adamw(3e-4)


class Rows(Dataset):
    def __init__(self, path):
        everything = np.load(path, mmap_mode="r")
        per_host = len(everything) // jax.process_count()
        self.rows = everything[jax.process_index() * per_host :][:per_host]

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return np.array(self.rows[index], dtype=np.float32)


def forever(loader):
    while True:
        yield from loader


@partial(jax.jit, donate_argnames=("params", "opt_state"))
def update(params, opt_state, x):
    def loss_fn(p):
        code = jax.nn.relu(x @ p["enc"])
        return jnp.mean((code @ p["dec"] - x) ** 2)

    loss, grads = jax.value_and_grad(loss_fn)(params)
    updates, opt_state = TX.update(grads, opt_state, params)
    return optax.apply_updates(params, updates), opt_state, loss


def run(steps, dim=256, batch=1024):
    mesh = Mesh(np.array(jax.devices()), ("data",))
    rows, whole = NamedSharding(mesh, P("data")), NamedSharding(mesh, P())
    k_enc, k_dec = jax.random.split(jax.random.key(0))
    params = {"enc": jax.random.normal(k_enc, (dim, 64)) / 16.0, "dec": jax.random.normal(k_dec, (64, dim)) / 8.0}
    params = jax.device_put(params, whole)
    opt_state = jax.device_put(TX.init(params), whole)
    loader = DataLoader(
        Rows("rows.npy"),
        batch_size=batch // jax.process_count(),
        shuffle=True,
        drop_last=True,
        num_workers=4,
        collate_fn=np.stack,
        multiprocessing_context="forkserver",
    )
    manager = ocp.CheckpointManager("/ckpt/ae", options=ocp.CheckpointManagerOptions(save_interval_steps=500))
    for step, local in zip(range(steps), forever(loader)):
        x = jax.make_array_from_process_local_data(rows, local)
        params, opt_state, loss = update(params=params, opt_state=opt_state, x=x)
        manager.save(step, args=ocp.args.StandardSave({"params": params}))
        if step % 100 == 0 and jax.process_index() == 0:
            print(step, float(loss))
    manager.wait_until_finished()
    manager.close()
