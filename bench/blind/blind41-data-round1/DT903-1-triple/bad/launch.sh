#!/bin/bash
export MASTER_PORT=29511
deepspeed --num_nodes 2 --num_gpus 8 --hostfile hosts.txt train.py --deepspeed_config ds_config.json
