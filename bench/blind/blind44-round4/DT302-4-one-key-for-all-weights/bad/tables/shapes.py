SHAPES = {
    "embed": (64, 32),
    "query": (32, 32),
    "key": (32, 32),
    "value": (32, 32),
    "out": (32, 64),
}
