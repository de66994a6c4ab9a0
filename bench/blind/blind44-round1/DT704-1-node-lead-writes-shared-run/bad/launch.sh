#!/bin/sh
exec torchrun --nnodes=2 --nproc_per_node=8 --rdzv_backend=c10d --rdzv_id=exp7 --rdzv_endpoint="$HEAD:29400" train.py
