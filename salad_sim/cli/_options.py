"""Options that several commands share, and notes to the user."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from functools import partial, wraps
from typing import TYPE_CHECKING, Any, TypeVar

import click

from salad_sim.cli import INTERRUPTED, _completion
from salad_sim.errors import InputError, printable
from salad_sim.game.rules import CHOICES

if TYPE_CHECKING:
    from pathlib import Path

    from salad_sim.run.plan import Plan
    from salad_sim.run.setup import SetupOptions

Command = TypeVar("Command", bound=Callable[..., Any])

STRATEGY = "NAME|FILE.py[:NAME]"
"""How a strategy is named, for help."""

WITH_PARAMETERS = "Parameters: 'NAME(KEY=VALUE, ...)', or NAME:FILE.toml; see salad-sim strategies."
"""How parameters are added to it."""

# Numbers are taken as text: the plan checks them, and says what is allowed in the same words for all.
GAME_OPTIONS: dict[str, tuple[list[str], dict[str, Any]]] = {
    "kind": (["--game"], {"metavar": "GAME", "help": "point-salad or hand-draft.  [default: point-salad]"}),
    "players": (
        ["--players", "-p"],
        {"default": "2", "show_default": True, "metavar": "2..6", "help": "Players in a game."},
    ),
    "strategies": (
        ["--strategy", "-s"],
        {
            "multiple": True,
            "default": ["greedy"],
            "show_default": True,
            "metavar": STRATEGY,
            "shell_complete": _completion.strategies,
            "help": f"Who plays: given once for all seats, or once for each seat. {WITH_PARAMETERS}",
        },
    ),
    "seed": (["--seed"], {"default": "1", "show_default": True, "metavar": "N", "help": "Same seed, same games."}),
    "profile": (
        ["--rules"],
        {
            "metavar": "PROFILE|FILE.toml",
            "shell_complete": _completion.profiles,
            "help": "Rules to play by; see salad-sim rules.",
        },
    ),
    "switches": (
        ["--rule"],
        {
            "multiple": True,
            "metavar": "KEY=VALUE",
            "shell_complete": _completion.switches,
            "help": "Change one rule; may be repeated.",
        },
    ),
    "tie_break": (
        ["--tie-break"],
        {
            "metavar": "|".join(CHOICES["tie_break"]),
            "help": "Which seat wins when totals are equal; the same as --rule tie_break=...  [default: later]",
        },
    ),
    "rounds": (
        ["--rounds"],
        {"metavar": "N", "help": "Rounds of a match; the same as --rule rounds=N  [default: 1]"},
    ),
    "cards": (
        ["--cards"],
        {
            "metavar": "FILE.csv",
            "shell_complete": _completion.files,
            "help": "Play with these cards; see salad-sim cards --format csv.",
        },
    ),
    "rotate": (["--rotate"], {"is_flag": True, "help": "Play every deal once with each rotation of the line-up."}),
    "head_start": (
        ["--head-start"],
        {"metavar": "A,B,...", "help": "Points that each seat has before the game begins, as 0,3."},
    ),
}
"""The options that determine which games are played, by the names that `GameOptions` has for them."""

RUN_OPTIONS = tuple(GAME_OPTIONS)
SEATED_OPTIONS = tuple(name for name in GAME_OPTIONS if name not in ("strategies", "rotate", "head_start"))
"""Those of a command that says itself who plays where."""

workers_option = click.option("--workers", "-w", metavar="N", help="Threads; by default one for each core.")


@dataclass(frozen=True)
class GameOptions:
    """The options that determine which games are played, as they were typed; None what a command does not take."""

    kind: str | None
    players: Any
    strategies: Any
    seed: str
    profile: str | None
    switches: tuple[str, ...] | None
    tie_break: str | None
    rounds: str | None
    cards: str | None
    rotate: bool | None
    head_start: str | None

    @property
    def setup(self) -> SetupOptions:
        """What the functions of the library take by keyword, the rules read.

        Raises
        ------
        InputError
            If a rule is not allowed.
        """
        from salad_sim.game.rule_profiles import read_rules

        check_tie_break(self.kind, self.tie_break)
        found: SetupOptions = {"cards": self.cards}
        if self.switches is not None:
            found["rules"] = read_rules(self.profile, self.switches, tie_break=self.tie_break, rounds=self.rounds)
        if self.kind is not None:
            found["game"] = self.kind
        return found

    def plan(self, games: str | int, deals: str | None = None) -> Plan:
        """Check the options and plan ``games`` games, or ``deals`` as they were typed."""
        from salad_sim.run.plan import plan_run, with_deals

        points = self.head_start.split(",") if self.head_start is not None else ()
        plan = plan_run(games, self.players, self.strategies, self.seed, bool(self.rotate), points, **self.setup)
        return plan if deals is None else with_deals(plan, deals)


def check_tie_break(kind: str | None, tie_break: str | None) -> None:
    """Refuse a tie-break in the game that has none; the default one does not show in the rules."""
    if kind == "hand-draft" and tie_break not in (None, "shared"):
        raise InputError(f"in the game hand-draft equal totals share the win, not --tie-break {tie_break}")


def game_option(name: str, **changed: Any) -> Callable[[Command], Command]:
    """Return one of the options that determine which games are played; ``changed``: what is told otherwise here."""
    flags, told = GAME_OPTIONS[name]
    return click.option(*flags, name, **told | changed)


def game_options(*names: str, **changed: dict[str, Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add options that determine which games are played; the command gets them all as one `GameOptions`.

    It is the lowest of such decorators. ``changed``: by option what is told otherwise.
    """

    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(command)
        def gathered(**given: Any) -> Any:
            own = {each.name: given.pop(each.name, None) for each in fields(GameOptions)}
            return command(options=GameOptions(**own), **given)

        for name in reversed(names):
            gathered = game_option(name, **changed.get(name, {}))(gathered)
        return gathered

    return add


def format_option(*formats: str) -> Callable[[Command], Command]:
    """Return the option ``--format``; the first of ``formats`` is the default."""
    return click.option(
        "--format", "form", type=click.Choice(formats), default=formats[0], show_default=True, help="How to print it."
    )


cluster_option = click.option(
    "--cluster",
    metavar="tcp://HOST:PORT|local:N",
    help="Play on the Dask cluster of this scheduler, or on N processes here; strategy files are sent there as code.",
)
CLUSTER = "salad_sim.cluster"
"""In the context of a command: where it is played."""


def anywhere(command: Command) -> Any:
    """Let a command take --workers and --cluster; the latter is no concern of its own."""

    @workers_option
    @cluster_option
    @wraps(command)
    def placed_command(cluster: str | None, **given: Any) -> Any:
        check_place(cluster, given["workers"])
        click.get_current_context().meta[CLUSTER] = cluster
        return command(**given)

    return placed_command


def check_place(cluster: str | None, workers: str | None) -> None:
    """Refuse a cluster that is none, or one that shall play with the threads of this machine.

    Raises
    ------
    InputError
    """
    if cluster is None:
        return
    from salad_sim.cluster.connection import check_cluster

    if workers is not None:
        raise InputError("with --cluster the workers of the cluster play, each on its own threads: leave --workers out")
    check_cluster(cluster)


def cluster_of_command() -> str | None:
    """Return the cluster that the command which is at work was given."""
    ctx = click.get_current_context(silent=True)
    return None if ctx is None else ctx.meta.get(CLUSTER)


quiet_option = click.option("--quiet", "-q", is_flag=True, help="No progress and no notes, only the result.")


def out_folder(out: str | None, kind: str) -> Path | None:
    """Return the folder of ``--out``, made if it is not there; None without the option.

    Raises
    ------
    InputError
        If it cannot be written, or holds what another command saved.
    """
    from salad_sim.files.atomic import open_folder
    from salad_sim.storage.folder import refuse_another_kind

    if out is None:
        return None
    folder = open_folder(out)
    refuse_another_kind(folder, kind)
    return folder


def note(text: str, quiet: bool = False) -> None:
    """Tell the user something on stderr, unless it shall be quiet."""
    if not quiet:
        click.echo(f"salad-sim: {printable(text)}", err=True)


def interrupted(how_far: str) -> int:
    """Tell the user how far it came before Ctrl-C; return the exit code."""
    note(f"interrupted{how_far}")
    return INTERRUPTED


def prepare(plans: Iterable[Plan], quiet: bool) -> None:
    """Compile what plans need, and say so if that takes long."""
    from salad_sim.run.driver import Observer, Session

    session = Session(progress=Observer(tell=partial(note, quiet=quiet)))
    for plan in plans:
        session.prepare(plan)
