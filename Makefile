# Both commands do their own set-up: a virtual environment beside this file, nothing else.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin

.PHONY: across advice bench check clean demo docs faults format fuzz live looks lowest man other-tools package paper paper-full parity scale servers statistics studies test transfer verdicts yahpo

# The main job on data of its own: a table in the terminal, a picture in condped-demo/.
demo: $(VENV)/.demo
	$(BIN)/condped demo

# Everything that must hold before a change is good: style, types, layers, tests. Types are checked
# while what only tests need is installed. Two processes that start threads for every core as well
# would wait for each other; with bytecode kept, the commands that tests start need not compile the
# package again.
test:
	$(MAKE) --no-print-directory -j 2 check servers yahpo other-tools $(VENV)/.versions
	OPENBLAS_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -n 2 --dist loadfile

# The tests with the oldest versions that pyproject.toml allows, in an environment of their own. Left
# out is what needs newer ones: gRPC storages (Optuna 4.2), OptunaHub, Trackio, W&B, and the pages of
# the site, whose numbers are those of the newest Optuna.
LOWEST ?= $(VENV)/lowest
LOWEST_EXTRAS := optuna,parquet,pandas,plot,plotly,dashboard,baselines,postgresql,mysql,redis,mlflow,zstd,ibis,spark,ray,serve,watch,mcp,widget
# Old libraries use what newer ones have given up, and old Spark and Ray leave sockets and processes to
# the garbage collector; everything else that warns is an error here, too.
OLD_WARNINGS := -W default::DeprecationWarning -W default::PendingDeprecationWarning -W default::FutureWarning \
	-W default::ResourceWarning -W default::pytest.PytestUnraisableExceptionWarning
NEWEST_ONLY := tests/docs tests/integrations \
	src/condped/show/trackers/trackio_run.py src/condped/show/trackers/wandb_run.py
lowest: $(LOWEST)/.installed
	OPENBLAS_NUM_THREADS=1 $(LOWEST)/bin/python -m pytest -n 2 --dist loadfile $(OLD_WARNINGS) \
		$(NEWEST_ONLY:%=--ignore=%) $(or $(TESTS),tests src)

$(LOWEST)/.installed: $(BIN)/python pyproject.toml
	$(PYTHON) -m venv $(LOWEST)
	$(LOWEST)/bin/python -m pip install --quiet --disable-pip-version-check uv
	printf 'optunahub\ntrackio\nwandb\n' > $(LOWEST)/left-out.txt
	$(LOWEST)/bin/uv pip install --quiet --python $(LOWEST)/bin/python --resolution lowest-direct --upgrade \
		--excludes $(LOWEST)/left-out.txt -e '.[$(LOWEST_EXTRAS)]' --group test --group tools
	touch $@

check: $(VENV)/.dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo --no-cache

# The site, without a network: docs/_build/html/index.html. Warnings are errors.
docs: $(VENV)/.docs
	$(BIN)/sphinx-build -q -n -W --keep-going docs docs/_build/html
	@echo "The site is at docs/_build/html/index.html."

# The servers and the browser that tests start, each by itself: Ubuntu has no package of Chromium that
# works everywhere, and Chrome does as well. Without them their tests say so and skip, or fail in CI.
servers:
	@PATH="$$PATH:/usr/sbin"; \
	$(call debian_package,mariadb-server,mariadbd); \
	$(call debian_package,redis-server,redis-server); \
	$(call debian_package,chromium,chromium || command -v google-chrome)

# A package of Debian, unless the program is there.
define debian_package
{ command -v $(2); } > /dev/null || { [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null && \
	apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
	--no-install-recommends $(1) > /dev/null; } || echo "To run all tests: sudo apt-get install $(1)"
endef

# YAHPO Gym, which needs numpy 1, in an environment of its own. Without it its tests say so and skip.
yahpo: $(VENV)/.dev
	@$(BIN)/python -m experiments.yahpo.sample --prepare --environment $(VENV)/yahpo || \
	echo "To test sampling from YAHPO Gym: python -m experiments.yahpo.sample --prepare --help"

# The manual page, from the commands.
man: $(VENV)/.dev
	$(BIN)/python -m docs.man_page

# The distributions, checked as package indexes do, and the project by Scientific Python's guide; the
# tests do the same. dist/ then holds what a release publishes; with TAG=v0.2.0 that has to be its version.
package: $(VENV)/.dev
	@[ -z "$(TAG)" ] || grep -qxF '__version__ = "$(TAG:v%=%)"' src/condped/__init__.py || \
		{ echo "The tag $(TAG) is not the version in src/condped/__init__.py."; exit 1; }
	rm -rf dist
	$(BIN)/python -m build --no-isolation
	$(BIN)/twine check --strict dist/*
	$(BIN)/check-wheel-contents dist/*.whl
	$(BIN)/validate-pyproject pyproject.toml
	$(BIN)/sp-repo-review .

# Keras Tuner, which needs Keras and a backend for it, and hpbandster, both in an environment of their
# own: about 190 MB to download, and none of this project's settings for uv (--no-config). Without it
# their tests say so and skip. hpbandster's own requirements would compile a package that it can do
# without.
other-tools: $(VENV)/.dev
	@[ -e $(VENV)/other-tools/.done ] || { \
		$(BIN)/python -m venv $(VENV)/other-tools && \
		$(call other_tools,keras-tuner==1.4.8 keras==3.15.1 jax==0.10.2 six==1.17.0 \
			scikit-learn ConfigSpace Pyro4==4.82 serpent==1.43 statsmodels==0.15.0) && \
		$(call other_tools,--no-deps hpbandster==0.7.4) && \
		touch $(VENV)/other-tools/.done; } || \
	echo "To test reading Keras Tuner and hpbandster: make other-tools"

format: $(VENV)/.dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# How good the numbers are, about fifteen minutes: docs/trust/statistics.md. Effects against the truth, about
# ten more: the table of docs/trust/effects.md.
statistics: $(VENV)/.bench
	$(BIN)/python -m benchmarks.effects --output benchmarks/effects.json
	$(BIN)/python -m benchmarks.statistics --output benchmarks/statistics.json \
		--page docs/trust/statistics.md

# What condped says of dead parameters, in stored studies and in designs that break tests.
verdicts: $(VENV)/.bench
	$(BIN)/python -m benchmarks.verdicts --output benchmarks/verdicts.json --page docs/trust/verdicts.md

# Whether advice helps: docs/trust/advice.md. Several hours; it can be stopped and resumed.
advice: $(VENV)/.bench
	$(BIN)/python -m benchmarks.advice --output benchmarks/advice.json --page docs/trust/advice.md --resume

# Whether past studies help a new one: docs/trust/transfer.md. It can be
# stopped and resumed.
transfer: $(VENV)/.bench
	$(BIN)/python -m benchmarks.transfer --output benchmarks/transfer.json --page docs/trust/transfer.md --resume

# Whether differences between studies are found, and only real ones: docs/trust/across.md. It can be
# stopped and resumed.
across: $(VENV)/.bench
	$(BIN)/python -m benchmarks.across --output benchmarks/across.json --page docs/trust/across.md --resume

# The stored studies again where they are missing, about an hour for all: benchmarks/studies/data.
studies: $(VENV)/.bench
	$(BIN)/python -m benchmarks.studies.generate

# A live page beside real workers, about fifteen minutes: the table of docs/trust/live.md. What a callback
# costs, and what reading only new trials saves.
live: $(VENV)/.bench servers
	$(BIN)/python -m benchmarks.live --output benchmarks/live.json
	$(BIN)/python -m benchmarks.watching --output benchmarks/watching.json
	$(BIN)/python -m benchmarks.following --output benchmarks/following.json

# Hostile inputs for everything that is read, about half an hour of one core: docs/trust/robustness.md.
# It can be stopped and resumed.
fuzz: $(VENV)/.dev
	$(BIN)/python -m fuzz --record fuzz/campaign.jsonl \
		--output fuzz/campaign.json --page docs/trust/robustness.md

# The paper's method beside Optuna's own evaluator, on studies with extreme values: docs/trust/parity.md. About
# half an hour; it can be stopped and resumed.
parity: $(VENV)/.dev
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m fuzz.parity --evaluations 105000 \
		--output fuzz/parity.json --page docs/trust/parity.md

# Processes killed, disks full, files cut, storages restarted, and ten minutes of writers: docs/trust/faults.md.
# About half an hour, as root with real disks.
faults: $(VENV)/.dev
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -W ignore -m fuzz.faults \
		--output fuzz/faults.json --page docs/trust/faults.md

# Whether verdicts hold when a running study is looked at again and again: docs/trust/looks.md.
looks: $(VENV)/.bench
	$(BIN)/python -m benchmarks.looks --studies 2 --synthetic 12 --page docs/trust/looks.md

# The paper's figures and claims with three seeds, about five minutes: experiments/out/quick.
paper: $(VENV)/.paper
	$(BIN)/python -m experiments all --quick
	$(BIN)/python -m experiments claims --quick

# With all ten seeds, by the wall clock of two loaded cores about 20 minutes for the synthetic
# problems and, where evaluation sets are there, about 32 more for YAHPO Gym: experiments/out/full,
# docs/trust/claims.md and docs/trust/paper.md. Both can be stopped and resumed.
paper-full: $(VENV)/.paper
	$(BIN)/python -m experiments all
	$(BIN)/python -m experiments docs

# Ratios against Optuna and rustuna, about ten minutes; f-ANOVA against Optuna's, about twenty more.
bench: $(VENV)/.bench
	$(BIN)/python -m benchmarks.speed --output benchmarks/speed.json
	$(BIN)/python -m benchmarks.reading --output benchmarks/reading.json
	$(BIN)/python -m benchmarks.presenting --output benchmarks/presenting.json
	$(BIN)/python -m benchmarks.fanova --output benchmarks/fanova.json

# Files of 10^6 to 10^8 rows against a plain scan, one worker and two: docs/trust/scale.md. About fifteen
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

# Installs $(WANTED). Many packages: uv needs a third of pip's time, but knows none of pip's settings.
# Where uv is unavailable, or cannot reach an index, pip installs the same.
PIP_INSTALL = $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt
define install
	$(PIP_INSTALL) --upgrade pip
	{ $(PIP_INSTALL) uv && \
		$(BIN)/uv pip install --quiet --python $(BIN)/python -c constraints.txt $(WANTED); } || \
	$(PIP_INSTALL) $(WANTED)
	touch $@
endef

define other_tools
{ $(BIN)/uv pip install --no-config --quiet --python $(VENV)/other-tools/bin/python -c constraints.txt $(1) || \
	$(VENV)/other-tools/bin/python -m pip install --quiet --disable-pip-version-check \
		-c constraints.txt $(1); }
endef

$(VENV)/.demo: $(BIN)/python pyproject.toml constraints.txt
	$(PIP_INSTALL) -e '.[plot]'
	touch $@

$(VENV)/.dev: WANTED = -e '.[all]' --group dev
$(VENV)/.dev: $(BIN)/python pyproject.toml constraints.txt
	$(install)

$(VENV)/.docs: WANTED = -e '.[baselines,optuna,parquet,plot,plotly]' --group docs
$(VENV)/.docs: $(BIN)/python pyproject.toml constraints.txt
	$(install)

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

$(VENV)/.bench: WANTED = --group bench
$(VENV)/.bench: $(VENV)/.dev
	$(install)

$(VENV)/.paper: WANTED = -e '.[baselines,parquet,plot]' --group paper
$(VENV)/.paper: $(BIN)/python pyproject.toml constraints.txt
	$(install)

clean:
	rm -rf $(VENV) condped-demo dist docs/_build docs/questions docs/reference/api/generated \
		.hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
