"""Who runs a function: the main rank, a rank that got a signal, somebody it was handed to, a trainer?"""

from __future__ import annotations

from tests.machine.programs import choices, events, run, told

LIGHTNING = """
import lightning as L

class Net(L.LightningModule):
    def training_step(self, batch, batch_idx):
        return self.layer(batch)

class Keep(L.Callback):
    def on_train_epoch_end(self, trainer, pl_module):
        if trainer.is_global_zero:
            trainer.save_checkpoint("a")
"""


def test_a_decorated_function_runs_on_the_ranks_of_its_decorator():
    made = run(
        """
        from accelerate import PartialState
        state = PartialState()

        @state.on_process(process_index=2)
        def report():
            dist.barrier()

        report()
        """
    )
    assert ("barrier", "0100") in events(made)


def test_a_decorated_method_is_reported_inside():
    found = told(
        """
        from lightning.pytorch.utilities import rank_zero_only

        @rank_zero_only
        def report():
            dist.barrier()

        report()
        """
    )
    assert [(item.code, item.line) for item in found] == [("DT101", "dist.barrier()")]


def test_what_a_signal_handler_writes_differs_and_what_it_calls_is_called_alone():
    source = """
        import signal
        asked = False

        def note(number, frame):
            global asked
            asked = True
            {}

        def main():
            signal.signal(signal.SIGTERM, note)
            if asked:
                dist.barrier()

        main()
        """
    assert ("asked", "signal") in choices(run(source.format("pass")))
    assert [item.code for item in told(source.format("dist.barrier()")) if item.shape == "handler"] == ["DT105"]


def test_a_function_given_to_somebody_unknown_runs_on_the_ranks_that_give_it():
    source = """
        import pool

        def main():
            def work():
                dist.barrier()
            {}

        main()
        """
    assert told(source.format("pool.submit(work)")) == []
    guarded = told(source.format("if rank == 0:\n                pool.submit(work)"))
    assert [item.code for item in guarded] == ["DT101"]


def test_generators_run_where_they_are_used_up():
    made = run(
        """
        def totals(values):
            for value in values:
                dist.all_reduce(value)
                yield value

        if rank == 0:
            print(dict(totals(open("x"))))
        """
    )
    assert ("all_reduce", "0001") in events(made)


def test_a_trainer_calls_the_hooks_of_its_callbacks():
    made = run(LIGHTNING + "trainer = L.Trainer(callbacks=[Keep()])\ntrainer.fit(Net())\n")
    assert events(made) == [("fit", "1111"), ("save_checkpoint", "0001")]


def test_a_callback_added_later_is_called_too():
    source = """
        from transformers import Trainer, TrainerCallback, TrainingArguments

        class Export(TrainerCallback):
            def __init__(self, trainer):
                self.trainer = trainer

            def on_epoch_end(self, args, state, control, **kwargs):
                if state.is_world_process_zero:
                    self.trainer.save_model("x")

        args = TrainingArguments(output_dir="o"{})
        trainer = Trainer(model=None, args=args)
        trainer.add_callback(Export(trainer))
        trainer.train()
        """
    assert [item.code for item in told(source.format(', fsdp="full_shard"'))] == ["DT108"]
    assert [item.code for item in told(source.format(', deepspeed="ds_zero3.json"'))] == ["DT108"]
    assert told(source.format("")) == []


def test_a_callback_registered_on_one_rank_talks_on_one_rank():
    made = run(
        """
        class Report:
            def __call__(self):
                dist.barrier()

        callbacks = [Report()] if rank == 0 else []
        for callback in callbacks:
            callback()
        """
    )
    assert events(made) == [("barrier", "0001")]


def test_what_decided_to_start_the_group_is_not_asked_again():
    made = run(
        """
        import argparse
        import torch.distributed as dist
        args = argparse.ArgumentParser().parse_args()
        if not args.alone:
            dist.init_process_group("gloo")

        def total(value):
            if args.alone:
                return value
            dist.all_reduce(value)

        total(args.value)
        """,
        head="",
    )
    assert choices(made) == [("not args.alone", None)]
    assert events(made) == [("all_reduce", "1111")]


def test_a_group_that_both_sides_start_answers_nothing():
    made = run(
        """
        import argparse
        import torch.distributed as dist
        args = argparse.ArgumentParser().parse_args()
        if args.slurm:
            dist.init_process_group("nccl")
        else:
            dist.init_process_group("gloo")
        if args.slurm:
            dist.barrier()
        """,
        head="",
    )
    assert len(choices(made)) == 2


SPAWNED_OR_NOT = """
import os
import argparse
import torch
import torch.distributed as dist
import torch.multiprocessing as mp

def worker(number, args):
    if number is None:
        dist.barrier()
    dist.all_reduce(args.total)

args = argparse.ArgumentParser().parse_args()
if args.spawn:
    mp.spawn(worker, args=(args,), nprocs=4)
else:
    worker({given}, args)
"""


def test_what_is_spawned_with_a_number_each_is_called_beside_for_one_process():
    assert events(run(SPAWNED_OR_NOT.replace("{given}", "args.gpu"), head="")) == [("all_reduce", "1111")]


def test_what_a_launcher_starts_is_called_with_its_rank():
    made = run(SPAWNED_OR_NOT.replace("{given}", 'int(os.environ["LOCAL_RANK"])'), head="")
    assert events(made) == [("all_reduce", "1111"), ("all_reduce", "1111")]
