"""``python -m experiments.yahpo``: the six experiments on a folder of your own, as one page."""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

from condped.errors import CondpedError, DataError, SettingsError
from experiments.gallery import copy_pictures
from experiments.running import run
from experiments.store import Store
from experiments.yahpo import page, results
from experiments.yahpo.folder import VARIABLE, find_folder


def main() -> int:
    """Run what is missing, collect it, and write or print the page."""
    parser = argparse.ArgumentParser(prog="python -m experiments.yahpo", description=__doc__)
    parser.add_argument("--data", type=Path, help=f"folder of evaluation sets (or {VARIABLE})")
    parser.add_argument("--output", type=Path, default=Path(__file__).parents[1] / "out")
    parser.add_argument("--quick", action="store_true", help="two seeds, without SHAP")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--results", type=Path, help="JSON file to write")
    parser.add_argument("--page", type=Path, help="Markdown file to write, pictures beside it")
    arguments = parser.parse_args()
    if arguments.data is not None:
        # Processes that compute seeds inherit it.
        os.environ[VARIABLE] = str(arguments.data.resolve())
    store = Store(arguments.output, arguments.quick)
    begun = time.perf_counter()
    try:
        for path in (arguments.results, arguments.page):
            if path is not None and not path.parent.is_dir():
                raise SettingsError(
                    f"There is no folder {path.parent} for {path.name}. Make it, or name another."
                )
        # Only now, as the catalogue looks at the folder.
        from experiments.yahpo.catalogue import experiments  # noqa: PLC0415

        chosen = experiments(find_folder())
        lacking = [one.name for one in chosen if one.unavailable is not None]
        run(chosen, store, workers=arguments.workers, say=print)
        if lacking:
            raise DataError(
                f"The page needs all six experiments; there are no data for {', '.join(lacking)}."
            )
        found = results.collect(store)
    except (CondpedError, OSError) as error:
        print(f"Error: {error}", file=sys.stderr)
        return 1
    print(f"{time.perf_counter() - begun:.0f} s.")
    text = page.page(found)
    if arguments.results:
        results.save(found, arguments.results)
    if arguments.page:
        arguments.page.write_text(text, encoding="utf-8")
        copy_pictures(chosen, store, arguments.page.parent / "paper")
    else:
        print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
