# Both commands do their own set-up: a virtual environment beside this file, nothing else.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin

.PHONY: advice demo test check format bench scale statistics studies verdicts gallery paper paper-full clean servers yahpo

# The main job on data of its own: a table in the terminal, a picture in condped-demo/.
demo: $(VENV)/.demo
	$(BIN)/condped demo

# Everything that must hold before a change is good: style, types, layers, tests. Types are checked
# while what only tests need is installed. Two processes that start threads for every core as well
# would wait for each other; with bytecode kept, the commands that tests start need not compile the
# package again.
test:
	$(MAKE) --no-print-directory -j 2 check servers yahpo $(VENV)/.versions
	OPENBLAS_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -n 2 --dist loadfile

check: $(VENV)/.dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo --no-cache

# The servers and the browser that tests start. Without Debian's packages at hand their tests say so
# and skip.
servers:
	@PATH="$$PATH:/usr/sbin"; \
	{ command -v mariadbd && command -v redis-server && command -v chromium; } > /dev/null || \
	{ [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null && apt-get update -qq && \
		DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
		mariadb-server redis-server chromium > /dev/null; } || \
	echo "To test MariaDB, Redis and pages: sudo apt-get install mariadb-server redis-server chromium"

# YAHPO Gym, which needs numpy 1, in an environment of its own. Without it its tests say so and skip.
yahpo: $(VENV)/.dev
	@$(BIN)/python -m experiments.yahpo.sample --prepare --environment $(VENV)/yahpo || \
	echo "To test sampling from YAHPO Gym: python -m experiments.yahpo.sample --prepare --help"

format: $(VENV)/.dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# How good the numbers are, about fifteen minutes: docs/statistics.md. Effects against the truth, about
# ten more: the table of docs/effects.md.
statistics: $(VENV)/.bench
	$(BIN)/python -m benchmarks.effects --output benchmarks/effects.json
	$(BIN)/python -m benchmarks.statistics --output benchmarks/statistics.json \
		--page docs/statistics.md

# What condped says of dead parameters, in stored studies and in designs that break tests.
verdicts: $(VENV)/.bench
	$(BIN)/python -m benchmarks.verdicts --output benchmarks/verdicts.json --page docs/verdicts.md

# Whether advice helps: docs/advice.md. Several hours; it can be stopped, and goes on where it was.
advice: $(VENV)/.bench
	$(BIN)/python -m benchmarks.advice --output benchmarks/advice.json --page docs/advice.md --resume

# The stored studies again where they are missing, about an hour for all: benchmarks/studies/data.
studies: $(VENV)/.bench
	$(BIN)/python -m benchmarks.studies.generate

# Every picture on one page: docs/gallery.md.
gallery: $(VENV)/.dev
	$(BIN)/python -m docs.gallery

# The paper's figures and claims with three seeds, about five minutes: experiments/out/quick.
paper: $(VENV)/.paper
	$(BIN)/python -m experiments all --quick
	$(BIN)/python -m experiments claims --quick

# With all ten seeds, by the wall clock of two loaded cores about 20 minutes for the synthetic
# problems and, where evaluation sets are there, about 32 more for YAHPO Gym: experiments/out/full,
# docs/claims.md and docs/paper.md. Both can be stopped and go on where they were.
paper-full: $(VENV)/.paper
	$(BIN)/python -m experiments all
	$(BIN)/python -m experiments docs

# Ratios against Optuna and rustuna, about ten minutes; f-ANOVA against Optuna's, about twenty more.
bench: $(VENV)/.bench
	$(BIN)/python -m benchmarks.speed --output benchmarks/speed.json
	$(BIN)/python -m benchmarks.reading --output benchmarks/reading.json
	$(BIN)/python -m benchmarks.presenting --output benchmarks/presenting.json
	$(BIN)/python -m benchmarks.fanova --output benchmarks/fanova.json

# Files of 10^6 to 10^8 rows against a plain scan, one worker and two: docs/scale.md. About fifteen
# minutes and 5 GB of disk.
scale: $(VENV)/.bench
	$(BIN)/python -m benchmarks.scale --output benchmarks/scale.json
	$(BIN)/python -m benchmarks.workers --output benchmarks/workers.json
	$(BIN)/python -m benchmarks.archive --output benchmarks/archive.json
	$(BIN)/python -m benchmarks.scale_page

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "condped needs Python 3.11 or newer; name one with: make PYTHON=python3.12 ..."; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.demo: $(BIN)/python pyproject.toml constraints.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[plot]'
	touch $@

# Many packages: uv needs a third of pip's time, but knows none of pip's settings. Where it is not to
# be had, or cannot reach an index, pip installs the same.
$(VENV)/.dev: $(BIN)/python pyproject.toml constraints.txt
	{ $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt uv && \
		$(BIN)/uv pip install --quiet --python $(BIN)/python -c constraints.txt -e '.[dev,tools]'; } || \
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev,tools]'
	touch $@

# Earlier versions of Optuna, beside the environment's own, to write files with.
$(VENV)/.versions: $(VENV)/.dev
	for version in 3.0.6 3.6.2 4.0.0; do \
		$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps \
			--upgrade --target $(VENV)/optuna-versions/$$version optuna==$$version || exit 1; \
	done
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps \
		--upgrade --target $(VENV)/optuna-versions/3.0.6 \
		cmaes==0.11.1 SQLAlchemy==1.4.54 alembic==1.13.3
	touch $@

$(VENV)/.bench: $(VENV)/.dev
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[bench]'
	touch $@

$(VENV)/.paper: $(BIN)/python pyproject.toml constraints.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[paper]'
	touch $@

clean:
	rm -rf $(VENV) condped-demo .mypy_cache .ruff_cache .pytest_cache .hypothesis
