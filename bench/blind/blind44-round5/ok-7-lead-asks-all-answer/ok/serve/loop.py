import torch
import torch.distributed as dist


class Server:
    def __init__(self, net):
        self.net, self.lead = net, dist.get_rank() == 0

    def told(self, command=None):
        box = [command]
        dist.broadcast_object_list(box, src=0)
        return box[0]

    @torch.no_grad()
    def answer(self, x):
        part = self.net(x)
        dist.all_reduce(part)
        return part

    def ask(self, x):
        self.told({"do": "answer", "x": x})
        return self.answer(x)

    def stop(self):
        self.told({"do": "stop"})

    def follow(self):
        while (command := self.told())["do"] != "stop":
            self.answer(command["x"])
