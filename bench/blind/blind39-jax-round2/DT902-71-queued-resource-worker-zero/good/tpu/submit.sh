#!/bin/bash
# Creates a v5e-32 slice, waits for it, and starts the pre-training in tmux.
set -e
NAME=pre-$(date +%m%d)
PROJECT=lm-research
ZONE=europe-west4-b

gcloud compute tpus queued-resources create "$NAME" --node-id="$NAME" --project="$PROJECT" \
    --zone="$ZONE" --accelerator-type=v5litepod-32 --runtime-version=v2-alpha-tpuv5-lite
until gcloud compute tpus queued-resources describe "$NAME" --project="$PROJECT" --zone="$ZONE" | grep -q "state: ACTIVE"; do
    sleep 60
done

for attempt in 1 2 3; do
    gcloud alpha compute tpus tpu-vm ssh "$NAME" --project="$PROJECT" --zone="$ZONE" --worker=all \
        --command="git clone -q https://github.com/example/lm.git; pip install -q -e lm" && break
done

gcloud alpha compute tpus tpu-vm ssh "$NAME" --project="$PROJECT" --zone="$ZONE" \
    --worker=all \
    --command="tmux new -d -s train 'python3 -m lm.pretrain --config lm/configs/v5e32.yaml 2>&1 | tee log.txt'"
