#!/usr/bin/env bash
# run_node.sh NODE_RANK HEAD_IP
set -euo pipefail
NODE_RANK=$1
HEAD=$2
export OMP_NUM_THREADS=8
torchrun --nnodes=4 --nproc_per_node=8 --node_rank="$NODE_RANK" \
    --master_addr="$HEAD" --master_port=29511 \
    train.py --config configs/vit_b.yaml
