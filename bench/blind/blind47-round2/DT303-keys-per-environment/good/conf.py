import ml_collections


def get_config():
    config = ml_collections.ConfigDict()
    config.num_envs = 256
    config.steps = 100
    config.seed = 42
    return config
