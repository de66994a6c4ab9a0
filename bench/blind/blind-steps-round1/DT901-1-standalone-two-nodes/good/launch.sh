#!/usr/bin/env bash
# Usage on every node: NODE_ADDR=10.0.0.1 ./launch.sh configs/base.yaml
set -euo pipefail

CONFIG=${1:?config file}
NNODES=4
GPUS=8
export OMP_NUM_THREADS=4
export NCCL_DEBUG=WARN

ARGS=(
  --nnodes="$NNODES"
  --nproc_per_node="$GPUS"
  --rdzv_backend=c10d --rdzv_id=pretrain --rdzv_endpoint="${NODE_ADDR}:29400"
)

torchrun "${ARGS[@]}" train.py --config "$CONFIG"
