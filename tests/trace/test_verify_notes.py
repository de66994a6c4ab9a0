"""What a run does to show a finding: fail halfway, go on past another one, be slow, get a signal, have two hosts."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dtlint.findings import Finding, Span, Step
from dtlint.trace import locate, rewriting
from dtlint.trace.verify import verify

HEAD = """\
import os
import signal
import sys
import torch
import torch.distributed as dist
import torchft
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader


def model():
    torch.manual_seed(0)
    return torch.nn.Linear(4, 1)


class Halves(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = torch.nn.Linear(4, 1), torch.nn.Linear(4, 1)

    def forward(self, x):
        return self.first(x)


def main():
"""
TAIL = """

if __name__ == "__main__":
    main()
"""
BODY = {
    "several.py": """
    dist.init_process_group("gloo")
    if dist.get_rank() == 0:
        dist.barrier()  # DT101 confirmed
    dist.all_reduce(torch.ones(1))
    if dist.get_rank() == 1:  # DT101 confirmed past
        dist.broadcast(torch.ones(1), 0)
    dist.all_reduce(torch.ones(1))
    try:
        value = torch.ones(1)
        dist.all_reduce(value)
    except RuntimeError:
        dist.barrier()  # DT105 confirmed past
    dist.all_reduce(torch.ones(1))
    dist.destroy_process_group()
""",
    "again.py": """
    dist.init_process_group("gloo")
    for step in range(2):
        try:
            dist.all_reduce(torch.ones(1))
        except RuntimeError:
            dist.all_reduce(torch.ones(1))  # DT105 confirmed halfway
    dist.destroy_process_group()
""",
    "left.py": """
    dist.init_process_group("gloo")  # DT516 confirmed
    dist.all_reduce(torch.ones(1))
    os.environ["NCCL_SOCKET_IFNAME"] = "eth0"  # DT604 confirmed
    dist.all_reduce(torch.ones(1), async_op=True)  # DT115 confirmed
    dist.all_reduce(torch.nn.Parameter(torch.ones(1)))  # DT512 confirmed
""",
    "tidy.py": """
    os.environ["NCCL_SOCKET_IFNAME"] = "eth0"  # DT604 inconclusive
    dist.init_process_group("gloo")  # DT516 inconclusive
    dist.all_reduce(torch.ones(1), async_op=True).wait()  # DT115 inconclusive
    with torch.no_grad():
        dist.all_reduce(torch.nn.Parameter(torch.ones(1)))  # DT512 inconclusive
    dist.destroy_process_group()
""",
    "windows.py": """
    dist.init_process_group("gloo")
    net = DDP(model())
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for step in range(8):
        optimizer.zero_grad()  # DT507 confirmed
        net(torch.ones(2, 4)).sum().backward()  # DT506 confirmed
        if step % 4 == 3:
            optimizer.step()
    dist.destroy_process_group()
""",
    "whole_windows.py": """
    dist.init_process_group("gloo")
    net = DDP(model())
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for step in range(8):
        optimizer.zero_grad()  # DT507 inconclusive
        net(torch.ones(2, 4)).sum().backward()  # DT506 inconclusive
        optimizer.step()
    dist.destroy_process_group()
""",
    "unused.py": """
    dist.init_process_group("gloo")
    net = DDP(Halves())  # DT504 confirmed
    for step in range(2):
        net(torch.ones(2, 4)).sum().backward()
    if dist.get_rank() == 0:
        dist.barrier()  # DT101 confirmed through
""",
    "options.py": """
    dist.init_process_group("gloo")
    loader = DataLoader(list(range(8)), prefetch_factor=2)  # DT602 confirmed
    for batch in loader:
        if dist.get_rank() == 0:
            dist.barrier()  # DT101 confirmed through
""",
    "racing.py": """
    dist.init_process_group("gloo")
    if dist.get_rank() == 0:
        open("made", "w").close()
    dist.all_reduce(torch.ones(1)) if len(sys.argv) > 1 else None
    open("made").close()  # DT114 confirmed after
    dist.all_reduce(torch.ones(1))
    dist.destroy_process_group()
""",
    "waiting.py": """
    dist.init_process_group("gloo")
    if dist.get_rank() == 0:
        open("made", "w").close()
    dist.barrier()
    open("made").close()  # DT114 inconclusive after
    dist.destroy_process_group()
""",
    "devices.py": """
    dist.init_process_group("nccl")
    torch.cuda.set_device(dist.get_rank())  # DT501 confirmed
    dist.all_reduce(torch.ones(1, device="cuda"))
""",
    "local_devices.py": """
    dist.init_process_group("nccl")
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))  # DT501 inconclusive
    dist.all_reduce(torch.ones(1, device="cuda"))
""",
    "signalled.py": """
    def leave(number, frame):
        dist.barrier()  # DT105 confirmed signal
        sys.exit(1)

    signal.signal(signal.SIGTERM, leave)
    dist.init_process_group("gloo")
    for step in range(20):
        dist.all_reduce(torch.ones(1))
""",
    "signalled_inside.py": """
    def leave(number, frame):
        dist.barrier()  # DT105 confirmed signal
        sys.exit(1)

    signal.signal(signal.SIGTERM, leave)
    dist.init_process_group("gloo")
    net = DDP(model())
    for step in range(20):
        net(torch.ones(2, 4)).sum().backward()
""",
    "halfway.py": """
    dist.init_process_group("gloo")
    net = DDP(model())
    for step in range(2):
        try:
            net(torch.ones(2, 4)).sum().backward()
        except RuntimeError:
            net(torch.ones(1, 4)).sum().backward()  # DT105 confirmed halfway
    dist.destroy_process_group()
""",
    "resuming.py": """
    dist.init_process_group("nccl")
    torch.cuda.set_device(dist.get_rank())
    net = model().cuda()
    if os.path.exists("net.pt"):
        torch.load("net.pt")  # DT510 confirmed
        torch.load("net.pt", map_location="cpu")  # DT510 inconclusive
        torch.load("host.pt")  # DT510 inconclusive
    dist.barrier()
    if dist.get_rank() == 0:
        torch.save(net.state_dict(), "net.pt")
        torch.save({name: value.cpu() for name, value in net.state_dict().items()}, "host.pt")
""",
    "kept.py": """
    dist.init_process_group("gloo")
    net = model()
    total = torch.zeros(1)
    for step in range(2):
        net(torch.ones(2, 4)).sum().backward()
        for parameter in net.parameters():
            parameter.data.grad = None  # DT511 confirmed
        total.add(1)  # DT511 confirmed
        total.add_(1)  # DT511 inconclusive
        for parameter in net.parameters():
            parameter.grad = None  # DT511 inconclusive
    dist.all_reduce(total)
""",
    "variables.py": """
    os.environ["TORCH_NCCL_WAIT_FOR_EVER"] = "1"  # DT605 confirmed
    os.environ["TORCH_DISTRIBUTED_DEBUG"] = "INFO"  # DT605 inconclusive
    os.environ["TORCH_OWN_LIMIT"] = "3"  # DT605 inconclusive
    dist.init_process_group("gloo")
    for step in range(int(os.environ["TORCH_OWN_LIMIT"])):
        dist.all_reduce(torch.ones(1))
""",
    "undivided.py": """
    dist.init_process_group("gloo")
    net = DDP(model())
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for step in range(8):
        torch.nn.functional.mse_loss(net(torch.ones(2, 4)), torch.ones(2, 1)).backward()  # DT507 confirmed
        (torch.nn.functional.mse_loss(net(torch.ones(2, 4)), torch.ones(2, 1)) / 4).backward()  # DT507 inconclusive
        if step % 4 == 3:
            optimizer.step()
            optimizer.zero_grad()
""",
    "commits.py": """
    dist.init_process_group("gloo")
    manager = torchft.Manager(torchft.ProcessGroupGloo(), None, None, 2)
    net = model()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for step in range(2):
        net(torch.ones(2, 4)).sum().backward()
        manager.start_quorum()
        manager.allreduce(net.weight.grad).wait()
        manager.should_commit()  # DT804 confirmed
        optimizer.step()
    for step in range(2):
        manager.start_quorum()
        manager.allreduce(net.weight.grad).wait()
        if manager.should_commit():  # DT804 inconclusive
            optimizer.step()
    manager.shutdown()
""",
    "making.py": """
    if not os.path.exists("logs"):
        os.makedirs("logs")  # DT702 confirmed
    os.makedirs("more", exist_ok=True)  # DT702 inconclusive
    dist.init_process_group("gloo")
    dist.all_reduce(torch.ones(1))
""",
    "answered.py": """
    dist.init_process_group("gloo")
    if dist.get_rank() == 0:
        dist.all_reduce(torch.ones(1))  # DT101 confirmed
    for step in range(3):
        dist.all_reduce(torch.ones(1))
    dist.barrier()
""",
}
MARK = re.compile(r"  # (DT\d+) ([-\w]+)(?: (past|through|after|halfway|signal))?$")
SAID = {"past": "left out: ", "through": "let through: ", "halfway": "halfway", "signal": "SIGTERM", "after": "slow"}


def findings_of(root: Path) -> list[tuple[Finding, str, str]]:
    found = []
    for name, body in BODY.items():
        text = HEAD + body.removeprefix("\n") + TAIL
        (root / name).write_text(text)
        for number, line in enumerate(text.splitlines(), 1):
            if match := MARK.search(line):
                code, state, how = match.groups()
                writer = next((at for at, other in enumerate(text.splitlines(), 1) if '"w"' in other), 0)
                trail = (Step(name, writer, "written by rank 0 only"),) if how == "after" else ()
                span = Span(name, number, 1, number, 2)
                item = Finding(code, "slug", "hang", "error", "default", "", "", span, trail=trail)
                found.append((item, state, SAID.get(how, "") if state == "confirmed" else ""))
    return found


@pytest.mark.trace
def test_what_runs_show(tmp_path: Path, torch_python: str) -> None:
    expected = findings_of(tmp_path)
    verified = verify([item for item, *_ in expected], tmp_path, "run", 400, python=torch_python)
    wrong = [
        (item.code, item.span.path, item.span.line, item.verdict, (state, said))
        for item, (_, state, said) in zip(verified, expected)
        if item.verdict.state != state or said not in item.verdict.reason
    ]
    assert not wrong, wrong


def test_nothing_else_is_changed(tmp_path: Path) -> None:
    text = "found = []\nif found == []:\n    found.append(1)\nfound.append(2)\nfound.append(3)\nwhile found: break\n"
    change = rewriting.Change(frozenset(), frozenset({2, 4}))
    names: dict[str, object] = {}
    exec(compile(change.visit(rewriting.ast.parse(text)), "script", "exec"), names)
    assert names["found"] == [3]


def test_where_a_run_can_pass(tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    path.write_text("def f():\n    if x:\n        y = 1\n    call(\n        1)\n    z = 2\n")
    assert [locate.to_leave_out(str(path), line) for line in (2, 3, 4, 6)] == [2, 2, 4, 0]


def test_handlers_of_signals(tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    path.write_text(
        "import signal\n\n\nclass Job:\n    def stop(self, *_):\n        leave()\n\n    def run(self):\n"
        "        signal.signal(signal.SIGUSR1, self.stop)\n        leave()\n"
    )
    assert [locate.signal_of(str(path), line) for line in (6, 10)] == ["SIGUSR1", ""]
