from collections import OrderedDict

import torch
from mmengine.dist import all_reduce, get_world_size, master_only
from mmengine.hooks import Hook
from mmengine.registry import HOOKS


@HOOKS.register_module()
class ClassCountHook(Hook):
    """How often each class was predicted in the whole validation set, not in this rank's part of it."""

    priority = "LOW"

    def __init__(self, num_classes, out_file="class_counts.tsv"):
        self.num_classes = num_classes
        self.out_file = out_file
        self.counts = torch.zeros(num_classes, dtype=torch.long)

    def before_val_epoch(self, runner):
        self.counts.zero_()

    def after_val_iter(self, runner, batch_idx, data_batch=None, outputs=None):
        for sample in outputs:
            self.counts += torch.bincount(sample.pred_label.flatten().cpu(), minlength=self.num_classes)

    def after_val_epoch(self, runner, metrics=None):
        total = self.counts.clone()
        all_reduce(total, "sum")
        self.write(runner, total)

    @master_only
    def write(self, runner, total):
        named = OrderedDict((f"class_{i}", int(n)) for i, n in enumerate(total))
        runner.logger.info("counts over %d ranks: %s", get_world_size(), dict(named))
        with open(self.out_file, "a") as out:
            out.write("\t".join(str(n) for n in named.values()) + "\n")
