MICRO, ACCUMULATE = 4, 2


def config(world):
    return {
        "train_batch_size": MICRO * ACCUMULATE * world,
        "train_micro_batch_size_per_gpu": MICRO,
        "gradient_accumulation_steps": ACCUMULATE,
        "gradient_clipping": 1.0,
        "bf16": {"enabled": True},
        "zero_optimization": {"stage": 3},
    }
