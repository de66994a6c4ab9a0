#!/usr/bin/env bash
set -e
cd "$(dirname "$0")"
deepspeed --num_gpus 4 train.py --deepspeed_config ds_config.json "$@"
