"""The naive twin knows who wins: each tie-break by hand, whoever starts, with a bonus, and below zero."""

from fractions import Fraction

from support.naive_games import CARDS, HALF, NO, ONE, game, play_all, share, upto
from support.reference.game import VEGETABLES, NaiveGame, NaiveRules


def tied_game(players: int, size: int, start: int = 0) -> NaiveGame:
    """Every seat takes two vegetables whenever it moves, nobody has a point card: all totals are zero."""
    deck = upto(0, size - 1)
    position = NaiveGame(CARDS, [deck[:-4], deck[-4:-2], deck[-2:]], players, start=start)
    while not position.over:
        position.play(next(draft for draft in position.legal_drafts() if draft[0] == "market"))
    return position


def test_a_game_that_ends_in_mid_round_tells_last_turn_from_later() -> None:
    position = tied_game(players=3, size=10)
    assert (position.turn, position.scores()) == (5, [0, 0, 0])  # seats 0 1 2 0 1
    assert position.shares() == [NO, NO, ONE]
    assert share(position, "later") == [NO, NO, ONE]
    assert share(position, "last-turn") == [NO, ONE, NO]
    assert share(position, "earlier") == [ONE, NO, NO]
    assert share(position, "fewer-cards") == [NO, NO, ONE]
    assert share(position, "shared") == [Fraction(1, 3)] * 3


def test_a_game_that_ends_with_a_full_round_does_not() -> None:
    position = tied_game(players=3, size=12)
    assert position.turn == 6
    assert share(position, "later") == share(position, "last-turn") == [NO, NO, ONE]


def test_ties_go_by_turn_order_from_the_start_seat() -> None:
    position = tied_game(players=3, size=10, start=1)  # seats 1 2 0 1 2
    assert share(position, "later") == [ONE, NO, NO]
    assert share(position, "last-turn") == [NO, NO, ONE]
    assert share(position, "earlier") == [NO, ONE, NO]
    assert share(position, "fewer-cards") == [ONE, NO, NO]


def test_only_the_best_totals_are_tied() -> None:
    position = tied_game(players=3, size=10)
    position.bonus = [4, 4, 3]
    assert position.scores() == [4, 4, 3]
    assert share(position, "later") == share(position, "last-turn") == [NO, ONE, NO]
    assert share(position, "shared") == [HALF, HALF, NO]
    position.bonus = [4, 1, 4]
    assert share(position, "last-turn") == [ONE, NO, NO]
    assert share(position, "later") == [NO, NO, ONE]
    position.bonus = [1, 9, 8]
    for tie_break in ("later", "earlier", "last-turn", "fewer-cards", "shared"):
        assert share(position, tie_break) == [NO, ONE, NO]


def test_fewer_cards_counts_the_point_cards_kept() -> None:
    position = NaiveGame(CARDS, [upto(0, 5), upto(20, 25), upto(40, 45)], 3)
    play_all(position, ("pile", 0), ("market", (1, 4)), ("pile", 0), ("market", (0, 1)), ("pile", 2), ("pile", 2))
    assert [len(hand) for hand in position.hands] == [1, 1, 2]
    scores = position.scores()
    position.bonus = [10 - score for score in scores]
    assert position.scores() == [10, 10, 10]
    assert share(position, "fewer-cards") == [NO, ONE, NO]  # of the two with one card, the later
    assert share(position, "later") == [NO, NO, ONE]


def test_the_bonus_counts_and_scores_follow_the_rules_given() -> None:
    position = NaiveGame(CARDS, [[0, 10, 4, 5, 6, 7], upto(20, 22), [50, 1, 40, 41]], 2, bonus=[5, 20])
    assert position.piles == [[0, 10, 4, 5], [20], [50, 1]]
    play_all(position, ("pile", 2), ("market", (0, 3)), ("market", (1, 4)), ("pile", 0))
    # seat 0: card 1 (carrot: even=7, odd=3) with two carrots; seat 1: a card worth nothing to two cabbages
    assert position.hands[0] == [1]
    assert position.tables()[0]["carrot"] == 2
    assert position.scores()[0] == 5 + 7
    assert position.tables()[1] == dict.fromkeys(VEGETABLES, 0) | {"cabbage": 2}
    assert position.hands[1] == [10]  # 3/carrot, -1/cabbage, -1/pepper
    assert position.scores()[1] == 20 - 2


def test_rules_given_to_scores_replace_those_of_the_game() -> None:
    position = game([1, 4, 5], [20], [40])
    position.play(("pile", 0))
    position.play(("market", (1, 2)))
    assert position.hands[0] == [1]
    assert position.scores() == [0, 0]
    assert position.scores(NaiveRules(zero="even")) == [7, 0]
    assert position.shares() == [NO, ONE]
    assert position.shares(NaiveRules(zero="even")) == [ONE, NO]


# ------------------------------------------------------------------------------------------ known bugs


def test_there_is_a_winner_when_no_total_is_above_zero() -> None:
    position = tied_game(players=3, size=10)
    position.bonus = [-7, -3, -5]
    for tie_break in ("later", "earlier", "last-turn", "fewer-cards", "shared"):
        assert share(position, tie_break) == [NO, ONE, NO]
