"""The door for strategies: what a strategy file declares itself with, how it is found and loaded."""

from salad_sim.strategy.parameters import Parameter, choice
from salad_sim.strategy.registry import Strategy, find_strategies, inline_kernel, kernel, load_strategy, strategy

__all__ = ["Parameter", "Strategy", "choice", "find_strategies", "inline_kernel", "kernel", "load_strategy", "strategy"]
