import functools

import torch.distributed as dist


def lead_only(*names):
    def around(kind):
        for name in names:
            method = getattr(kind, name)

            @functools.wraps(method)
            def inner(self, *args, _method=method, **kwargs):
                if dist.get_rank() == 0:
                    return _method(self, *args, **kwargs)
                return None

            setattr(kind, name, inner)
        return kind

    return around
