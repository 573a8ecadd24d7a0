"""Numbers that are none, as every command refuses them."""

import pytest

from support.commands import refused


@pytest.mark.parametrize("number", ["nan"])
@pytest.mark.parametrize(
    "words",
    [
        "check random --patience",
        "check random --games",
        "bench --seconds",
        "bench --repeats",
        "bench --players",
        "bench --workers",
        "run --games",
        "run --seed",
        "run --patience",
        "run --workers",
        "run --rounds",
        "match greedy random --precision",
        "match greedy random --sprt 0,10 --alpha",
        "match greedy random --sprt 0,10 --beta",
        "match greedy random --sprt",
        "match greedy random --first-deal",
        "league greedy random --games",
        "profile greedy --games",
        "rules compare official friendly --games",
        "experiment seat-order --precision",
        "experiment seat-order --margin",
        "replay --seed",
        "tune flipper --population",
        "tune flipper --sprt",
        "tune flipper --sigma",
    ],
)
def test_what_is_no_number_is_refused_by_every_command(words: str, number: str) -> None:
    refused(*words.split(), number)
