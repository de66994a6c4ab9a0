#!/usr/bin/env bash
accelerate launch --config_file configs/accelerate.yaml dpo.py --epochs 1
