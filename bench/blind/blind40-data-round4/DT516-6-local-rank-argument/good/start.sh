#!/bin/bash
set -e
export OMP_NUM_THREADS=2
torchrun --standalone --nproc_per_node=4 train.py --epochs 5
