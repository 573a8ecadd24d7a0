"""python -m salad_sim: the same as the command salad-sim."""

from salad_sim.cli import main

if __name__ == "__main__":
    main(prog_name="salad-sim")
