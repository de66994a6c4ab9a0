#!/usr/bin/env bash
# Starts the job on all machines of hosts.txt, the first of which is the master.
set -euo pipefail
cd "$(dirname "$0")"

mapfile -t HOSTS < hosts.txt
MASTER=${HOSTS[0]}
PORT=${PORT:-29400}

for i in "${!HOSTS[@]}"; do
  ssh "${HOSTS[$i]}" "cd $PWD && nohup torchrun \
      --nnodes=${#HOSTS[@]} \
      --nproc-per-node=8 \
      --node-rank=0 \
      --master-addr=$MASTER \
      --master-port=$PORT \
      train.py > logs/$i.log 2>&1" &
done
wait
