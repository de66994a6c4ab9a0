#!/bin/bash
set -e
# node-a and node-b have 8 GPUs each
deepspeed --hostfile=hostfile --num_nodes=2 --num_gpus=8 \
  --master_addr=node-a --master_port=29500 \
  finetune.py --deepspeed_config ds_config.json --epochs 2
