"""Which options does a launcher take, and where does its own command line end and the program's begin?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from dtlint.launch.model import Argument, Options
from dtlint.launch.shell_values import Word


@dataclass(frozen=True, slots=True)
class Grammar:
    """`counts`: how many further words an option takes; those not named take one.
    `aliases`: short and other spellings of an option, without dashes."""

    counts: Mapping[str, int] = field(default_factory=dict)
    aliases: Mapping[str, str] = field(default_factory=dict)
    long_with_one_dash: bool = False  # `mpirun -npernode 4`
    glued: frozenset[str] = frozenset()  # short options whose value may follow at once: `-N2`


def _none(names: str) -> dict[str, int]:
    return dict.fromkeys(names.split(), 0)


TORCHRUN = Grammar(
    counts=_none("standalone no_python run_path module use_env virtual_local_rank h help"),
    aliases={"m": "module", "r": "redirects", "t": "tee"},
)
ACCELERATE = Grammar(
    counts=_none(
        "quiet cpu multi_gpu tpu enable_cpu_affinity dynamo_use_fullgraph dynamo_use_dynamic use_deepspeed use_fsdp "
        "dynamo_use_regional_compilation use_parallelism_config use_megatron_lm same_network module no_python "
        "tpu_cluster no_tpu_cluster tpu_use_sudo downcast_bf16 fp8_use_autocast_during_eval debug use_xpu ipex help "
        "use_mps_device"
    ),
    aliases={"m": "module", "q": "quiet", "h": "help"},
)
DEEPSPEED = Grammar(
    counts=_none(
        "module no_python no_local_rank no_ssh no_ssh_check force_multi save_pid elastic_training bind_cores_to_rank "
        "help h"
    ),
    aliases={"H": "hostfile", "i": "include", "e": "exclude"},
)
SRUN = Grammar(
    counts=_none(
        "label unbuffered verbose exclusive overlap pty quiet share overcommit exact contiguous no_kill hold help "
        "multi_prog preserve_env disable_status interactive test_only requeue no_requeue kill_on_bad_exit spread_job "
        "container_mount_home no_container_mount_home container_writable container_readonly no_container_remap_root "
        "container_remap_root no_container_entrypoint container_entrypoint use_min_nodes reboot external_launcher "
        "no_allocate"
    ),
    aliases={
        "N": "nodes", "n": "ntasks", "c": "cpus_per_task", "G": "gpus", "p": "partition", "w": "nodelist",
        "J": "job_name", "A": "account", "t": "time", "o": "output", "e": "error", "i": "input", "W": "wait",
        "K": "kill_on_bad_exit", "l": "label", "u": "unbuffered", "v": "verbose", "Q": "quiet", "s": "share",
        "O": "overcommit", "X": "disable_status", "E": "preserve_env", "k": "no_kill", "H": "hold", "D": "chdir",
        "C": "constraint", "x": "exclude", "r": "relative", "m": "distribution", "q": "qos", "Z": "no_allocate",
        "b": "begin", "d": "dependency", "a": "array", "tasks_per_node": "ntasks_per_node",
    },
    glued=frozenset("NncGpwJAtoeiWKDCxrmqbda"),
)  # fmt: skip
MPIRUN = Grammar(
    counts={
        **_none(
            "allow_run_as_root oversubscribe tag_output report_bindings display_map v verbose q quiet nolocal "
            "use_hwthread_cpus display_allocation bynode byslot l prepend_rank disable_auto_cleanup pernode"
        ),
        "mca": 2, "gmca": 2, "genv": 2, "env": 2, "pmca": 2,
    },
    aliases={
        "np": "n", "c": "n", "ntasks": "n", "npernode": "ppn", "N": "ppn", "perhost": "ppn", "H": "host",
        "hosts": "host", "machinefile": "hostfile", "f": "hostfile",
    },
    long_with_one_dash=True,
)  # fmt: skip
GCLOUD = Grammar(counts=_none("quiet internal_ip tunnel_through_iap force_key_file_overwrite "
                              "plain dry_run"), aliases={"q": "quiet"})  # fmt: skip


def read_options(words: tuple[Word, ...], grammar: Grammar) -> tuple[Options, tuple[Word, ...]]:
    """The options at the beginning of `words`, and what follows from the first word that is none."""
    items: list[Argument] = []
    complete = True
    position = 0
    while position < len(words):
        word = words[position]
        text = word.text
        if text == "--":
            position += 1
            break
        if word.spreads:
            complete = False
            position += 1
            continue
        if not text.startswith("-") or text == "-":
            break
        position += 1
        written, equals, value = text.partition("=")
        bare = written.lstrip("-").replace("-", "_")
        short = not written.startswith("--") and not grammar.long_with_one_dash
        if short and len(bare) > 1 and bare[0] in grammar.glued and bare not in grammar.aliases:
            items.append(Argument(grammar.aliases.get(bare[0], bare[0]), bare[1:] + equals + value, word.line, written))
            continue
        if short and len(bare) > 1 and not equals and bare not in grammar.counts and bare not in grammar.aliases:
            # Several flags in one word: `srun -lu`.
            items.extend(
                Argument(grammar.aliases.get(letter, letter), None, word.line, f"-{letter}") for letter in bare
            )
            continue
        name = grammar.aliases.get(bare, bare)
        if equals:
            items.append(Argument(name, value, word.line, written))
            continue
        count = grammar.counts.get(name, 1)
        if count == 2 and position < len(words) and "=" in words[position].text:
            count = 1  # `-env NAME=VALUE` of MVAPICH beside `-env NAME VALUE` of MPICH
        taken = words[position : position + count]
        position += len(taken)
        values = " ".join(item.text for item in taken)
        items.append(Argument(name, values if count else None, taken[0].line if taken else word.line, written))
    return Options(tuple(items), complete), words[position:]


def read_arguments(words: tuple[Word, ...]) -> tuple[Options, tuple[Word, ...]]:
    """The arguments of a program nobody knows: `--name value`, `--name=value`, `--flag`, `key=value`; and the rest."""
    items: list[Argument] = []
    positional: list[Word] = []
    complete = True
    position = 0
    while position < len(words):
        word = words[position]
        position += 1
        if word.spreads:
            complete = False
        elif word.text.startswith("-") and not word.text.lstrip("-")[:1].isdigit() and len(word.text) > 1:
            written, equals, value = word.text.partition("=")
            name = written.lstrip("-").replace("-", "_")
            follower = words[position] if position < len(words) else None
            if equals:
                items.append(Argument(name, value, word.line, written))
            elif follower is not None and (not follower.text.startswith("-") or follower.text[1:2].isdigit()):
                items.append(Argument(name, follower.text, follower.line, written))
                position += 1
            else:
                items.append(Argument(name, None, word.line, written))
        else:
            positional.append(word)
    return Options(tuple(items), complete), tuple(positional)
