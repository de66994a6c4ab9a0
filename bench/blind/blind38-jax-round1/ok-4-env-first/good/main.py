import os
import sys

os.environ.setdefault("XLA_PYTHON_CLIENT_MEM_FRACTION", "0.85")
os.environ["JAX_DEFAULT_MATMUL_PRECISION"] = "tensorfloat32"
os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_gpu_triton_gemm_any=true"
if "--deterministic" in sys.argv:
    os.environ["TF_DETERMINISTIC_OPS"] = "1"

import jax  # noqa: E402

from app import train  # noqa: E402


def main():
    if int(os.environ.get("SLURM_NTASKS", "1")) > 1:
        jax.distributed.initialize(local_device_ids=[int(os.environ["SLURM_LOCALID"])])
    train.run(steps=2000)


if __name__ == "__main__":
    main()
