#!/usr/bin/env bash
set -euo pipefail
torchrun --nnodes 2 --nproc-per-node 8 --rdzv-backend c10d --rdzv-endpoint "$HEAD:29400" --rdzv-id "$JOB" train.py
