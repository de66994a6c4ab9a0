#!/bin/bash
export HF_HOME=/data/hf
deepspeed --num_nodes 1 --num_gpus 8 finetune.py --deepspeed_config ds_config.json --epochs 3
