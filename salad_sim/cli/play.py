"""salad-sim play: a game against strategies, in the terminal, over a pipe or in a browser."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import time_ns
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from salad_sim.cli._options import STRATEGY, GameOptions, game_options, note, quiet_option, workers_option
from salad_sim.errors import InputError

if TYPE_CHECKING:
    from salad_sim.run.driver import Observer, Session
    from salad_sim.studies.advice.estimate import Budget
    from salad_sim.studies.advice.game_file import RecordedGame
    from salad_sim.tools.playing.session import GameSession

PERSON = "person"
"""What stands for a strategy where a person plays."""

HINTED = 8
"""Moves that a hint looks at more closely: it tells three, and shall not take long."""

SAVED = "salad-game.toml"

SEEDS = 1_000_000
"""Games are dealt by one of so many seeds where none is given: short enough to be typed again."""

ASKED = ("players", "strategies", "seed", "profile", "switches", "tie_break", "rounds", "cards", "head_start")


@click.command()
@click.argument("file", metavar="[GAME.toml]", required=False)
@click.option("--seat", default="1", show_default=True, metavar="N", help="Where you sit.")
@click.option("--name", default="you", show_default=True, metavar="NAME", help="What you are called.")
@click.option("--games", "-g", default="200", show_default=True, metavar="N", help="Games of hints and of the review.")
@click.option(
    "--with", "policy", metavar=STRATEGY, help="Who plays on in hints.  [default: the strongest fast strategy]"
)
@click.option("--save", metavar="FILE.toml", help=f"Where to save the game.  [default: {SAVED}, or GAME.toml]")
@click.option("--web", is_flag=True, help="In the browser, at drawn cards; served to this computer only.")
@click.option("--port", default="0", metavar="N", help="With --web: where.  [default: any free port]")
@workers_option
@quiet_option
@game_options(
    *ASKED,
    strategies={
        "default": ["planner"],
        "help": f"Who plays against you: once for all, or once for each; {PERSON!r} is one more of you.",
    },
    seed={"default": None, "show_default": False, "help": "Same seed, same cards.  [default: a new one each time]"},
)
@click.pass_context
def play(
    ctx: click.Context,
    options: GameOptions,
    file: str | None,
    seat: str,
    name: str,
    games: str,
    policy: str | None,
    save: str | None,
    web: bool,
    port: str,
    workers: str | None,
    quiet: bool,
) -> None:
    """Play against strategies: hints, undo, save and go on, and a review at the end.

    Every question takes a number, and 1 is always a legal answer, so that it can be played over a pipe and with a
    screen reader. GAME.toml is a game that was saved.
    """
    from salad_sim.run.driver import Session
    from salad_sim.studies.advice.estimate import check_budget

    if web:
        from salad_sim.tools.playing.web import server_library

        server_library()  # before anything is compiled
    budget = replace(check_budget(games, 1, policy), most_moves=HINTED)
    typed = [each for each in (*ASKED, "seat", "name") if _is_typed(ctx, each)]
    if file is not None and typed:
        raise InputError(f"--{typed[0].replace('_', '-')} is said by the game {file!r} already; leave it out to go on")
    game = _session(_new_game(options, seat, name) if file is None else _saved_game(file), quiet)
    session = Session(workers, _watching(quiet))
    kept = Path(save or file or SAVED)
    if web:
        _in_browser(game, budget, kept, session, port)
    else:
        _in_terminal(game, budget, kept, session, keep=save is not None or file is not None)


def _is_typed(ctx: click.Context, name: str) -> bool:
    return ctx.get_parameter_source(name) not in (None, ParameterSource.DEFAULT)


def _watching(quiet: bool) -> Observer:
    from salad_sim.run.driver import Observer

    return Observer(tell=partial(note, quiet=quiet))


def _new_game(options: GameOptions, given: str, name: str) -> RecordedGame:
    """Return the game that is to be dealt."""
    from salad_sim.run.plan import plan_run
    from salad_sim.run.setup import whole_number
    from salad_sim.studies.advice.game_file import NOBODY, RecordedGame

    n_players = whole_number("players", options.players, 2, 6)
    own = whole_number("seat", given, 1, n_players) - 1
    others = list(options.strategies)
    if len(others) == 1:
        others *= n_players - 1
    if len(others) != n_players - 1:
        raise InputError(f"{len(others)} strategies against you at {n_players} players: give one, or {n_players - 1}")
    if not name.strip():
        raise InputError("--name must not be empty")
    lineup = [*others[:own], PERSON, *others[own:]]
    people = tuple(place for place, each in enumerate(lineup) if each == PERSON)
    seed = str(time_ns() % SEEDS) if options.seed is None else options.seed
    points = options.head_start.split(",") if options.head_start is not None else ()
    lineup = [NOBODY if place in people else each for place, each in enumerate(lineup)]
    plan = plan_run(1, n_players, lineup, seed, False, points, **options.setup)
    names = [_called(plan.label_at(place, 0), name, place, place == own, people) for place in range(n_players)]
    return RecordedGame(plan, tuple(names), people, ())


def _called(label: str, name: str, place: int, is_own: bool, people: tuple[int, ...]) -> str:
    """Return what a player is called: each another name."""
    if is_own:
        return name
    return f"{PERSON if place in people else label} {place + 1}"


def _saved_game(file: str) -> RecordedGame:
    from salad_sim.studies.advice.game_file import read_game

    game = read_game(file)
    if game.written is not None:
        raise InputError(f"the game {file!r} was written down at another table: nobody knows its hidden cards")
    return game


def _session(game: RecordedGame, quiet: bool) -> GameSession:
    """Return the game at the table, strategies compiled."""
    from salad_sim.cli._options import prepare
    from salad_sim.tools.playing.session import GameSession

    prepare([game.plan], quiet)
    return GameSession.resumed(game)


def _in_terminal(game: GameSession, budget: Budget, file: Path, session: Session, keep: bool) -> None:
    from salad_sim.cli._tables import print_table
    from salad_sim.tools.playing.terminal import TerminalGame

    say = _speaker()
    plan = game.plan
    changed = [f"{name} {value}" for name, value in plan.rules.changed().items()]
    say(f"Point Salad, {plan.n_players} players, seed {plan.seed}; {', '.join(changed) or 'official rules'}.")
    say(f"Seats: {', '.join(f'{number} {name}' for number, name in enumerate(game.names, start=1))}.")

    at_end = TerminalGame(game, budget, file, _read, say, print_table, session).play()
    if at_end and keep:
        game.save(file)
        say(f"Saved in {file}.")


def _in_browser(game: GameSession, budget: Budget, file: Path, session: Session, port: str) -> None:
    from salad_sim.run.setup import whole_number
    from salad_sim.tools.playing.web import make_server, serve

    web, server = make_server(game, budget, file, whole_number("port", port, 0, 65535), session)
    click.echo(f"Open {web.address}\nCtrl-C ends it and saves the game in {file}.")
    serve(web, server)


def _read(prompt: str) -> str | None:
    """Return the next line that is typed, or None if there is none any more."""
    sys.stdout.write(prompt)
    sys.stdout.flush()
    line = sys.stdin.readline()
    if not sys.stdin.isatty():
        sys.stdout.write(line if line.endswith("\n") else f"{line}\n")  # what was answered, for who reads along
    return line.rstrip("\n") if line else None


def _speaker() -> Callable[[str], None]:
    """Return what shows a line: with colours where there is a terminal."""
    from salad_sim.errors import printable

    if not sys.stdout.isatty():
        return lambda line: print(printable(line))
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False)

    def say(line: str) -> None:
        text = Text(printable(line))
        for name, style in STYLES.items():
            text.highlight_regex(rf"\b{name}\b", style)
        text.highlight_regex(r"^(Turn .*|The game is over\.|[^?]*\?)$", "bold")
        console.print(text)

    return say


STYLES = {
    "cabbage": "magenta",
    "carrot": "bright_yellow",
    "lettuce": "green",
    "onion": "cyan",
    "pepper": "yellow",
    "tomato": "red",
}
"""Colours of vegetables; their names say the same."""
