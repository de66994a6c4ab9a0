#!/bin/sh
# on machine i: MACHINE=i ./run.sh
exec accelerate launch --config_file accelerate.yaml --machine_rank "$MACHINE" finetune.py
