import argparse


def parse(argv=None):
    ap = argparse.ArgumentParser()
    ap.add_argument("--accumulate", type=int, default=8)
    ap.add_argument("--epochs", type=int, default=2)
    ap.add_argument("--precision", choices=["no", "bf16"], default="no")
    return ap.parse_args(argv)
