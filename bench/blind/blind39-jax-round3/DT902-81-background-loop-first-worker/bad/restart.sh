#!/usr/bin/env bash
set -euo pipefail
TPU_NAME="${1:-rl-v5p-64}"
ZONE="us-east5-a"
SSH=(gcloud compute tpus tpu-vm ssh "$TPU_NAME" "--zone=$ZONE")

"${SSH[@]}" --worker=all --command='sudo fuser -k /dev/vfio/* || true'
"${SSH[@]}" --worker=all --command='cd ~/rl && git pull -q'
gcloud compute tpus tpu-vm ssh "$TPU_NAME" "--zone=$ZONE" \
    --command='cd ~/rl && nohup python3 -m rl.learner --resume > ~/learner.log 2>&1 &'
