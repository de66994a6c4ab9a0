#!/usr/bin/env bash
set -euo pipefail
source "$(dirname "$0")/env.sh"

torchrun \
  --nnodes=4 \
  --nproc_per_node="$GPUS_PER_NODE" \
  --rdzv_id=pretrain \
  --rdzv_backend=c10d \
  --rdzv_endpoint="$HEAD_NODE_ADDR:$RDZV_PORT" \
  train.py --epochs 3 "$@"
