#!/usr/bin/env bash
# Runs on every node of the job: launch_node.sh NODES GPUS
set -euo pipefail
NODES=$1
GPUS=$2
source .venv/bin/activate
export NCCL_IB_HCA=mlx5
torchrun --rdzv-backend=c10d --rdzv-endpoint="$HEAD_HOST:29400" --rdzv-id=run1 --nnodes=2 --nproc-per-node="$GPUS" train.py --nodes "$NODES"
