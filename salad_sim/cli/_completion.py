"""What a shell may complete: names of strategies, rules, experiments, and files of the right kind."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path

import click
from click.shell_completion import CompletionItem, get_completion_class

SHELLS = ("bash", "zsh", "fish")
VARIABLE = "_SALAD_SIM_COMPLETE"
STRATEGIES, EXPERIMENTS = ("salad_sim_strategies", "strategy"), ("salad_sim_experiments", "experiment")


@click.command()
@click.argument("shell", type=click.Choice(SHELLS))
def completion(shell: str) -> None:
    """Print what lets a shell complete commands, options, strategies, rules and files.

    For bash: salad-sim completion bash > ~/.salad-sim-complete, and a line "source ~/.salad-sim-complete" in ~/.bashrc;
    likewise for zsh in ~/.zshrc. For fish: salad-sim completion fish > ~/.config/fish/completions/salad-sim.fish
    """
    from salad_sim.cli import main

    kind = get_completion_class(shell)
    assert kind is not None, "click knows these shells"
    click.echo(kind(main, {}, "salad-sim", VARIABLE).source())


def strategies(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete a strategy: one that comes with the program, or a file."""
    return _names_or_files(declared(*STRATEGIES), incomplete)


def experiments(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete an experiment: one that comes with the program, or a file."""
    return _names_or_files(declared(*EXPERIMENTS), incomplete)


def profiles(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete rules with a name, or a file."""
    from salad_sim.game.rule_profiles import profiles as known

    return _names_or_files(known(), incomplete)


def switches(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete one rule: its name, then its value."""
    from salad_sim.game.rules import CHOICES

    every = [f"{name}={value}" for name, values in CHOICES.items() for value in values]
    return [CompletionItem(each) for each in every if each.startswith(incomplete)]


def files(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete a file, as of cards."""
    return [CompletionItem(incomplete, type="file")]


def _names_or_files(names: Iterable[str], incomplete: str) -> list[CompletionItem]:
    found = [CompletionItem(name) for name in sorted(names) if name.startswith(incomplete)]
    return found or [CompletionItem(incomplete, type="file")]


def declared(package: str, decorator: str) -> Iterator[str]:
    """Yield the names that files of a package declare by a decorator, read without loading them: a shell waits."""
    spec = find_spec(package)
    for folder in (spec.submodule_search_locations or []) if spec else []:
        for file in sorted(Path(folder).glob("[!_]*.py")):
            for node in ast.walk(ast.parse(file.read_bytes())):
                match node:
                    case ast.Call(func=ast.Name(id=name), args=[ast.Constant(value=str(told)), *_]) if (
                        name == decorator
                    ):
                        yield told
