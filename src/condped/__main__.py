"""``python -m condped``: the command line."""

from condped.cli import main

if __name__ == "__main__":
    main()
