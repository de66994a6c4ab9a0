#!/usr/bin/env bash
# Two settings at a time, four GPUs each.
set -euo pipefail
mkdir -p logs

launch() {
  local gpus=$1 port=$2 size=$3
  CUDA_VISIBLE_DEVICES=$gpus torchrun --nnodes=1 --nproc_per_node=4 --master_port="$port" \
    train.py --batch-size "$size" --out "logs/$size.pt" > "logs/$size.log" 2>&1 &
}

launch 0,1,2,3 29510 64
launch 4,5,6,7 29510 128
wait
