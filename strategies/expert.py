"""The strategy `expert`: it makes the move after which the table is worth most, by a value learned in self-play.

Idea: a small net says how good a table is for the seat that has just moved. It was trained by letting it play against
itself (`salad-sim learn`, docs/learning.md). On each turn the expert makes in mind every promising draft, and the flips
that may follow the best of them, with the refill as far as it can be foreseen, and takes the best. With `n` it looks
ahead: it draws tables that look like the one it sees, tries its best moves at each, lets the others answer and moves
once more.

Cost: that of some fifteen values a turn; with `n`, of some hundred for each table. The weights are in the two files
beside this one, for two players and for more; the commands that made them are in them and in reports/learning.
"""

from pathlib import Path

import numpy as np

from salad_sim.kit import choose_by_search, choose_by_value, read_values, search_dtype, sizes_of
from salad_sim.strategy import Parameter, strategy

FILES = [Path(__file__).with_name(name) for name in ("expert_pair.npz", "expert_crowd.npz")]
NETS = np.concatenate([read_values(file)[0] for file in FILES])
SIZES = sizes_of(NETS)
PAIR, CROWD = range(len(FILES))

PARAMETERS = {
    "n": Parameter(0, 0, 100_000, "tables at which it looks ahead on each turn", whole=True),
    "depth": Parameter(1, 1, 54, "own moves that it looks ahead", whole=True),
}
N, DEPTH = range(len(PARAMETERS))


def memory_dtype(capacity):
    """Return the dtype of the memory: what working out values and looking ahead need."""
    return search_dtype(capacity, *SIZES)


@strategy("expert", memory=memory_dtype, **PARAMETERS)
def choose(view, own, rng, search):
    """Make the move after which the table is worth most, by what was learned in self-play."""
    net = NETS[PAIR if view.n_players == 2 else CROWD]
    if own.params[N] == 0:
        return choose_by_value(view, own, search.mind, net)
    return choose_by_search(view, own, rng, search, net, (np.int64(own.params[N]), np.int64(own.params[DEPTH])))
