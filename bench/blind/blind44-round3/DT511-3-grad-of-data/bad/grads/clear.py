def clear(params):
    for p in params:
        p.data.grad = None
