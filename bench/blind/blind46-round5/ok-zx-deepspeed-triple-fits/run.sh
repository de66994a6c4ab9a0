#!/usr/bin/env bash
set -euo pipefail
deepspeed --num_gpus=4 train.py --deepspeed --deepspeed_config ds.json
