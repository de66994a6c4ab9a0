#!/usr/bin/env bash
export RUN_NAME="run-$(date +%Y%m%d-%H%M%S)"
torchrun --standalone --nproc-per-node 4 main.py
