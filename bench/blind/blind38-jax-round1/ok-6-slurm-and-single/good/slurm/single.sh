#!/usr/bin/env bash
# One machine with whatever GPUs it has.
set -euo pipefail
gpus=$(nvidia-smi --list-gpus | wc -l)
exec torchrun --standalone --nproc_per_node="$gpus" train.py "$@"
