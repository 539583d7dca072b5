"""``python -m experiments``: see --help."""

from experiments.cli import main

if __name__ == "__main__":  # processes that compute seeds import this module as well
    main(prog_name="python -m experiments")
