/bin/bash
set -euo pipefail
# two nodes of eight GPUs each; hostfile lists them with slots=8
deepspeed --hostfile hosts --num_nodes 2 --num_gpus 8 \
    --master_addr "$(head -n1 hosts | cut -d' ' -f1)" --master_port 29511 \
    train.py --deepspeed_config ds_config.json
