#!/bin/bash
set -e
export OMP_NUM_THREADS=4
torchrun --standalone --nproc-per-node=4 train.py --epochs 10
