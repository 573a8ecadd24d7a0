"""The strategy `learned`: it plays by the values in learned.npz, made by `salad-sim learn`."""

from pathlib import Path

from salad_sim.kit import choose_by_value, read_values, sizes_of, value_dtype
from salad_sim.strategy import strategy

NETS, WHICH = read_values(Path(__file__).with_name("learned.npz"))
SIZES = sizes_of(NETS)


def mind_dtype(capacity):
    """Return the dtype of the memory: what working out a value needs."""
    return value_dtype(capacity, *SIZES)


@strategy("learned", memory=mind_dtype)
def choose(view, own, rng, mind):
    """Make the move after which the table is worth most, by what was learned in self-play."""
    return choose_by_value(view, own, mind, NETS[WHICH[view.n_players]])
