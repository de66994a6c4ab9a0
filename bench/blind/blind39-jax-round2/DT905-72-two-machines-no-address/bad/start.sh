#!/usr/bin/env bash
# start.sh RANK
accelerate launch --config_file cluster.yaml --machine_rank "$1" train.py
