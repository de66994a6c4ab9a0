#!/usr/bin/env bash
# start on both machines: NODE_RANK=0 ./run_node.sh   /   NODE_RANK=1 ./run_node.sh
set -euo pipefail

export NCCL_DEBUG=WARN
export OMP_NUM_THREADS=4

MASTER_ADDR=localhost
MASTER_PORT=29500

torchrun \
  --nnodes=2 \
  --nproc_per_node=4 \
  --node_rank="$NODE_RANK" \
  --master_addr="$MASTER_ADDR" \
  --master_port="$MASTER_PORT" \
  train.py "$@"
