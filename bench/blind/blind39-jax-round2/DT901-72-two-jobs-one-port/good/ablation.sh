#!/usr/bin/env bash
# Two ablations side by side on one 8-GPU node.
set -euo pipefail
mkdir -p logs

CUDA_VISIBLE_DEVICES=0,1,2,3 torchrun --nnodes=1 --nproc_per_node=4 --master_addr=127.0.0.1 --master_port=29500 \
    train.py --norm rms --out runs/rms > logs/rms.txt 2>&1 &
CUDA_VISIBLE_DEVICES=4,5,6,7 torchrun --nnodes=1 --nproc_per_node=4 --master_addr=127.0.0.1 --master_port=29501 \
    train.py --norm layer --out runs/layer > logs/layer.txt 2>&1 &
wait
