def clear(params):
    for p in params:
        p.grad = None
