"""jax.distributed from SLURM or torchrun-like variables, before anything else; local device ids; shutdown in finally."""
import atexit
import os
import socket
import subprocess

import jax


def from_slurm(env):
    hosts = subprocess.run(["scontrol", "show", "hostnames", env["SLURM_JOB_NODELIST"]], capture_output=True, text=True, check=True)
    first = hosts.stdout.split()[0]
    port = 20000 + int(env["SLURM_JOB_ID"]) % 20000
    return {
        "coordinator_address": f"{first}:{port}",
        "num_processes": int(env["SLURM_NTASKS"]),
        "process_id": int(env["SLURM_PROCID"]),
        "local_device_ids": [int(env["SLURM_LOCALID"])],
    }


def from_env(env):
    return {
        "coordinator_address": f"{env['MASTER_ADDR']}:{env.get('MASTER_PORT', '12355')}",
        "num_processes": int(env["WORLD_SIZE"]),
        "process_id": int(env["RANK"]),
    }


def initialize():
    env = os.environ
    if "SLURM_PROCID" in env and int(env.get("SLURM_NTASKS", 1)) > 1:
        options = from_slurm(env)
    elif int(env.get("WORLD_SIZE", 1)) > 1:
        options = from_env(env)
    else:
        return False
    jax.distributed.initialize(**options)
    atexit.register(jax.distributed.shutdown)
    return True


def main():
    together = initialize()
    print(f"{socket.gethostname()} process {jax.process_index()}/{jax.process_count()} sees {jax.local_device_count()} of {jax.device_count()}")
    n = jax.local_device_count()
    total = jax.pmap(lambda x: jax.lax.psum(x, "all"), axis_name="all")(jax.numpy.ones(n))
    assert int(total[0]) == jax.device_count()
    if jax.process_index() == 0:
        print("together" if together else "alone", total)


if __name__ == "__main__":
    main()
