"""`dtlint trace`: run a script with a few ranks in a sandbox and see whether they part."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from dtlint.cli import _options as options

FORMATS = ("full", "json")


@click.command(
    "trace",
    short_help="Run a script as a tiny job and watch its ranks.",
    epilog="Exit codes: 0 the ranks agreed and ended, 1 they parted, 2 usage, 3 inconclusive or out of time.",
)
@click.argument("script", type=click.Path(exists=True, dir_okay=False))
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
@click.option("--ranks", "-n", type=click.IntRange(1, 64), default=2, show_default=True, help="How many ranks.")
@click.option(
    "--engine",
    type=click.Choice(["auto", "lockstep", "gloo", "jax"]),
    default="auto",
    show_default=True,
    help="lockstep: recorded torch ranks. gloo: real processes. jax: virtual devices.",
)
@click.option(
    "--backend",
    type=click.Choice(["auto", "cpu", "cuda", "tpu"]),
    default="auto",
    show_default=True,
    help="Whose programs to look at. All ranks compute on the CPU: `cuda` is played there, which `cpu` does not; for "
    "`tpu` programs of JAX are lowered and, with libtpu, compiled.",
)
@click.option(
    "--steps", type=click.IntRange(0), default=0, help="End each rank after K optimizer steps.  [default: all]"
)
@click.option(
    "--batches", type=click.IntRange(0), default=0, help="End each pass over a loader after K batches.  [default: all]"
)
@click.option("--timeout", type=click.FloatRange(0.1), default=60.0, show_default=True, help="Seconds for the run.")
@click.option("--synthetic", is_flag=True, help="Small random data where a data file or data set is missing.")
@click.option(
    "--like",
    metavar="FILE[:LINE]",
    help="Arguments and environment as this launch file or manual gives them.",
)
@click.option("--seed", type=int, default=0, help="Each rank's random numbers start from this and its rank.")
@click.option("--confirm", type=click.Choice(["gloo"]), help="Ask real gloo processes for a second opinion.")
@click.option("--python", default="", metavar="PATH", help="The interpreter that has the framework.")
@click.option("--cwd", type=click.Path(exists=True, file_okay=False), default=".", help="Where the script runs.")
@click.option(
    "--output-format", "formats", multiple=True, metavar="FORMAT[=FILE]", help="full or json.  [default: full]"
)
@click.option("--chrome", type=click.Path(dir_okay=False, path_type=Path), help="Write the lanes for Perfetto here.")
@click.option("--live", is_flag=True, help="Show every call as it is made.")
@options.COLOR
def command(script: str, arguments: tuple[str, ...], **given: Any) -> None:
    """Run SCRIPT with ARGUMENTS (after `--`) as a tiny job and tell where its ranks part.

    This executes the script: as another process, without network, with limits on time, memory and files, with its
    writes kept away from yours where the system allows it. Do not trace what you would not run.
    """
    from dtlint.launch import starts
    from dtlint.mistakes import Mistake
    from dtlint.trace import interpreter
    from dtlint.trace.session import Job, NotPossible, Session

    wanted = [_format(text) for text in given["formats"] or ("full",)]
    engine = given["engine"]
    if engine == "auto":
        engine = interpreter.framework_of(Path(script).read_text("utf-8", "replace"))
        engine = "lockstep" if engine == "torch" else engine
    framework = "jax" if engine == "jax" else "torch"
    like = starts.chosen(script, given["like"]) if given["like"] else None
    job = Job(
        script=script,
        ranks=given["ranks"],
        directory=given["cwd"],
        timeout=given["timeout"],
        steps=given["steps"],
        batches=given["batches"],
        synthetic=given["synthetic"],
        seed=given["seed"],
        engine=engine,
        pretend_gpus=given["backend"] != "cpu",
        extra={"backend": given["backend"]},
    )
    if like is not None:
        job = replace(job, **starts.as_there(like))
    job = replace(job, arguments=(*job.arguments, *arguments))
    try:
        python = interpreter.choose(given["python"], framework)
        with Session(python, f"dtlint.trace.{framework}.server", framework=framework) as session:
            result = session.run_as_wanted(job, _live if given["live"] else None)
            result.notices.extend(_not_used(given["backend"], framework))
            result.notices.extend(_started(job, like, result.outcome.kind))
            if given["confirm"] and engine == "lockstep":
                second = session.run(replace(job, engine="gloo", ranks=result.ranks))
                result.notices.append(f"second opinion: {second.outcome.sentence}")
                result.facts.append({"second_opinion": second.outcome.kind, "reason": second.outcome.reason})
    except NotPossible as problem:
        raise Mistake(str(problem)) from None
    _write(result, wanted, given)
    sys.exit(result.exit_code)


def _started(job: Any, like: Any, kind: str) -> list[str]:
    """What a user should know of how the script was started."""
    from dtlint.launch import starts
    from dtlint.trace.starting import package_of

    told = []
    if like is not None:
        given = " ".join(job.arguments) or "no arguments"
        told.append(f"started as in {like.path}:{like.line}, with {given}")
        told += [f"what `{word}` holds is known to the shell only" for word in starts.unknown(like)]
    elif not job.arguments and kind == "inconclusive" and (hint := starts.hint(job.script, job.directory)):
        told.append(hint)
    if not job.module and (package := package_of(job.script, module=False)):
        told.append(f"started as a module of `{package[1]}`, because it imports by dots")
    return told


def _not_used(backend: str, framework: str) -> list[str]:
    """A device that was asked for and took no part has to be said."""
    if backend == "cuda":
        return ["no GPU took part: what the script puts on `cuda` was computed on the CPU"]
    if backend == "tpu" and framework == "torch":
        return ["no TPU took part: programs are compiled for TPUs in JAX only"]
    return []


def _format(text: str) -> tuple[str, str]:
    name, _, file = text.partition("=")
    if name not in FORMATS:
        raise click.UsageError(f"`{name}` is not a format of trace; there are {' and '.join(FORMATS)}")
    return name, file


def _live(record: dict[str, Any]) -> None:
    if record["type"] == "event":
        place = record["place"]
        detail = f"({record['detail']})" if record.get("detail") else ""
        options.say(f"rank {record['rank']}  {record['operation']}{detail}  {place['path']}:{place['line']}")


def _write(result: Any, wanted: list[tuple[str, str]], given: dict[str, Any]) -> None:
    from dtlint.trace import chrome, model, report

    for name, file in wanted:
        if name == "json":
            text = json.dumps(model.to_json(result), indent=2) + "\n"
        else:
            look = options.look(sys.stdout, given["color"])
            text = report.render(result, replace(look, color=False, ascii=False) if file else look)
        if file:
            Path(file).write_text(text, "utf-8")
        else:
            options.put(text)
    if given["chrome"]:
        given["chrome"].write_text(json.dumps(chrome.export(result)), "utf-8")
