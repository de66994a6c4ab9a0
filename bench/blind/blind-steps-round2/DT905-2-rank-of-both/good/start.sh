#!/bin/bash
# start.sh 0 on the first machine, start.sh 1 on the second
exec accelerate launch --config_file "configs/machine$1.yaml" train.py
