#!/bin/bash
set -e
torchrun --standalone --nproc-per-node=4 train.py --epochs 3
