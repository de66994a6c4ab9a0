#!/usr/bin/env bash
# Debug switches stay off unless asked for: DEBUG=1 ./launch.sh
set -euo pipefail
cd "$(dirname "$0")"
if [ "${DEBUG:-0}" = 1 ]; then
  export NCCL_DEBUG=INFO TORCH_DISTRIBUTED_DEBUG=INFO
fi
exec torchrun --standalone --nproc_per_node="${PROCESSES:-2}" fixed.py "$@"
