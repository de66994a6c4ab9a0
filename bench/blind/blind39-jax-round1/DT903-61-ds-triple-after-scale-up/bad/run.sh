#!/usr/bin/env bash
set -euo pipefail
deepspeed --hostfile hosts.txt --num_nodes 2 --num_gpus 8 sft.py --deepspeed_config ds_zero2.json --epochs 2
