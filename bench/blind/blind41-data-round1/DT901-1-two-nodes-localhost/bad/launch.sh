#!/usr/bin/env bash
set -euo pipefail

NNODES=${NNODES:-2}
GPUS=${GPUS:-8}
JOB=${JOB:-pretrain-17}

export OMP_NUM_THREADS=8
export TORCH_NCCL_ASYNC_ERROR_HANDLING=1

torchrun \
    --nnodes="$NNODES" \
    --nproc-per-node="$GPUS" \
    --rdzv-id="$JOB" \
    --rdzv-backend=c10d \
    --rdzv-endpoint=localhost:29400 \
    train.py --config configs/base.yaml
