#!/usr/bin/env bash
set -euo pipefail

# Evaluation shares the GPUs with a serving process: take memory as it is needed.
export XLA_PYTHON_CLIENT_PREALLOCATE=false
export TF_CPP_MIN_LOG_LEVEL=1
export XLA_FLAGS="--xla_gpu_enable_latency_hiding_scheduler=true"

RUN_DIR=${RUN_DIR:-runs/$(date +%Y%m%d)}
mkdir -p "$RUN_DIR"
python evaluate.py --checkpoint "$1" --out "$RUN_DIR/eval.json" 2>&1 | tee "$RUN_DIR/eval.log"
