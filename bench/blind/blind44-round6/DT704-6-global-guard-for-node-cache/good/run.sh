#!/bin/bash
torchrun --nnodes=2 --nproc_per_node=8 --rdzv_backend=c10d --rdzv_id=4 --rdzv_endpoint="$HEAD:29500" main.py
