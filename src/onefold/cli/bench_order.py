"""From the options of `onefold bench` to what is to be measured."""

from __future__ import annotations

from typing import Any

import click

from onefold.bench import prepared
from onefold.bench.data.real import files
from onefold.bench.experiments import EXPERIMENTS
from onefold.bench.experiments.experiment import Experiment
from onefold.bench.order import Mode, Order
from onefold.bench.peers import checked_interpreter
from onefold.bench.profile import PROFILES, shortened
from onefold.cli.choices import one_of
from onefold.cli.given import refuse
from onefold.core.near import did_you_mean

SHORT_LIST = ("LLF", "ALF", "HLF", "AHF", "ALJ")


def ordered(ids: tuple[str, ...], options: dict[str, Any]) -> Order:
    """Return what the command line asks for; what makes no sense is told at once."""
    mode = Mode(options["mode"])
    if mode is Mode.RATE and options["rate"] is None:
        raise click.UsageError("--mode rate needs --rate; --mode search finds one")
    if mode is Mode.SATURATE:
        refuse(["seconds"], "is for --mode rate and search: here all tuples are there at once")
    if mode is Mode.RATE:
        refuse(["tuples", "batch"], "is for --mode saturate: at a rate, --seconds says how many")
    if mode is Mode.SEARCH:
        one_of(options["tuples"], "a search begins with one saturated run")
    if "pyflink" in options["peers"]:
        checked_interpreter(options["flink_python"])
    else:
        refuse(["flink_python"], "is for --peers pyflink")
    if not (options["implementations"] or options["peers"]):
        raise click.UsageError("--implementations names none: there are D, A+ and A")
    profile = PROFILES[options["profile"]]
    named = [experiment(each) for each in ids or SHORT_LIST if each != "all"]
    experiments = tuple(EXPERIMENTS.values() if "all" in ids else dict.fromkeys(named))
    only_flink = not options["implementations"] and options["peers"] == ("pyflink",)
    if only_flink and all(each.joins for each in experiments):
        raise click.UsageError("pyflink is a peer of flat_maps, and none is to be measured")
    if not any(each.joins for each in experiments):
        refuse(["vectorized"], "is for joins, and none is to be measured")
    return Order(
        experiments=experiments,
        subjects=(*options["implementations"], *options["peers"]),
        mode=mode,
        profile=shortened(profile, repetitions=options["repetitions"], seconds=options["seconds"]),
        data=options["data"] or prepared.default_folder(),
        tuples=options["tuples"],
        batch=options["batch"],
        rate=options["rate"],
        rewrites=options["rewrites"] == "on",
        vectorized=options["vectorized"],
        origin=_origin(experiments, options),
        flink_python=options["flink_python"],
    )


def _origin(experiments: tuple[Experiment, ...], options: dict[str, Any]) -> prepared.Origin:
    sources = options["sources"]
    if sources:
        refuse(["seed"], "is for data that is made up: leave it out, or --from")
        if len({each.dataset for each in experiments}) > 1:
            of = {each.dataset: each.id for each in experiments}
            told = " and ".join(f"{name} is of {dataset}" for dataset, name in of.items())
            raise click.UsageError(f"--from has files of one data set, and {told}")
        files(sources)  # a path that leads nowhere is told at once
    return prepared.Origin(options["seed"], sources)


def experiment(name: str) -> Experiment:
    """Return the experiment of an ID."""
    if name not in EXPERIMENTS:
        hint = did_you_mean(name, EXPERIMENTS, f"there are {', '.join(EXPERIMENTS)}, and all")
        raise click.UsageError(f"there is no experiment {name!r}: {hint}")
    return EXPERIMENTS[name]
