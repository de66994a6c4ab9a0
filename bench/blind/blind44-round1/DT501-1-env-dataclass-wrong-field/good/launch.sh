#!/bin/bash
torchrun --nnodes=4 --nproc_per_node=8 \
  --rdzv_backend=c10d --rdzv_id=job1 --rdzv_endpoint="$HEAD_NODE:29500" run.py
