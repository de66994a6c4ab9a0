import argparse
import os

import jax


def force_host_devices(count):
    flags = os.environ.get("XLA_FLAGS", "")
    os.environ["XLA_FLAGS"] = f"{flags} --xla_force_host_platform_device_count={count}".strip()


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--simulate", type=int, default=8, help="CPU devices to pretend, 0 for the real ones")
    parser.add_argument("--rounds", type=int, default=50)
    args = parser.parse_args()
    if args.simulate and jax.devices()[0].platform == "cpu":
        force_host_devices(args.simulate)
    return args
