import sys

from lm.train import fit

if __name__ == "__main__":
    fit(sys.argv[1] if len(sys.argv) > 1 else "/tmp/pkg_lm", epochs=2)
