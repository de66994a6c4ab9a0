import argparse

import jax


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--run", required=True)
    parser.add_argument("--multihost", action="store_true")
    args = parser.parse_args()
    if args.multihost:
        jax.distributed.initialize()
    if jax.process_index() == 0:
        print(f"run {args.run} on {jax.device_count()} devices")


if __name__ == "__main__":
    main()
