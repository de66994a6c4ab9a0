#!/usr/bin/env bash
# Starts a run on a TPU v4-64 slice: copies the code, installs it, trains.
set -euo pipefail

TPU=${TPU:-lm-v4-64}
ZONE=${ZONE:-us-central2-b}
RUN=${1:?usage: run_v4_64.sh RUN_NAME}

remote() {
    gcloud compute tpus tpu-vm ssh "$TPU" --zone="$ZONE" --worker=all --command="$1"
}

gcloud compute tpus tpu-vm scp --recurse ./lm "$TPU":~/lm --zone="$ZONE" --worker=all
remote "pip install -q -r ~/lm/requirements.txt"
remote "pkill -9 -f lm/train.py || true"

gcloud compute tpus tpu-vm ssh "$TPU" --zone="$ZONE" --worker=all \
    --command="cd ~/lm && python3 train.py --run $RUN --multihost"
