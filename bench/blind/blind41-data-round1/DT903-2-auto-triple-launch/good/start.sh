#!/bin/bash
set -e
torchrun --nnodes=2 --nproc-per-node=8 --rdzv-backend=c10d --rdzv-endpoint="$HEAD:29500" --rdzv-id=z3 train.py --deepspeed zero3.json
