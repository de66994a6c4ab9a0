#!/bin/bash
set -e
export OMP_NUM_THREADS=4
CUDA_VISIBLE_DEVICES=0,1,2,3 torchrun --nnodes=1 --nproc-per-node=4 --master-port=29500 train.py --run a &
CUDA_VISIBLE_DEVICES=4,5,6,7 torchrun --nnodes=1 --nproc-per-node=4 --master-port=29501 train.py --run b &
wait
