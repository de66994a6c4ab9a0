#!/bin/bash
set -eu
MACHINES=4
PROCESSES=10
accelerate launch \
  --multi_gpu --num_machines $MACHINES --num_processes $PROCESSES \
  --machine_rank "$RANK_OF_THIS" --main_process_ip "$HEAD" --main_process_port 29600 \
  --mixed_precision bf16 train.py
