TRAIN = {"batch_size": 16, "workers": 4}
EVAL = {"batch_size": 32, "workers": 0}
