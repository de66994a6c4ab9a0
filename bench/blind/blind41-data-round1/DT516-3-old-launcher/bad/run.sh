#!/bin/bash
set -e
export OMP_NUM_THREADS=4
python -m torch.distributed.launch --nproc_per_node=4 train.py --epochs 10
