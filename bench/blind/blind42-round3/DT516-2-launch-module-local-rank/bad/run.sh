#!/bin/bash
set -e
python -m torch.distributed.launch --nproc_per_node=4 train.py --epochs 3
