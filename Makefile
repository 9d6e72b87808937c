# One word each. Every target does its own set-up, once: what is there already is not done again.
#
#   make demo     the first result: Table 1 of Sarolahti et al. 2003, on the terminal and as a report
#   make test     everything that must hold before a change goes in
#   make help     the rest

SHELL         := /bin/bash
.SHELLFLAGS   := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS     += --no-builtin-rules --no-print-directory

# Everything is built inside the repository, whatever the caller's shell says, so that it is found and can be cleaned.
export CARGO_TARGET_DIR := $(CURDIR)/target

BIN       := .venv/bin
ENGINE    := target/release/windlull-engine
# A stamp lies in what it vouches for: who removes the one removes the other.
VENV      := .venv/.complete
# For which system a wheel is; another one's needs that one's standard library of Rust (scripts/wheel/engine.sh).
TARGET       ?= $(shell uname -m)-unknown-linux-gnu
WHEEL_ENGINE  = target/wheel/$(TARGET)/windlull-engine
STACKS    := $(wildcard stacks/*/Cargo.toml)
# What shows how the crates are used that others use, with libraries that nobody needs who builds the engine.
EXAMPLES  := emulator/link/examples-quinn/Cargo.toml
WEB_DEPS  := web/node_modules/.complete
# The report's page and the application are built together.
PAGES     := web/dist/.complete
# What builds the documentation is no part of what runs.
DOCS_VENV := target/docs/venv
SITE      := target/docs/site

WEB_FILES := $(shell find web -path web/node_modules -prune -o -path web/dist -prune -o -path 'web/src/contract/*.d.ts' -prune -o -type f -print 2>/dev/null)
SECONDS   ?= 600
SHARD     ?= 0/1
# Where another Rust lints and fuzzes than builds and tests: the PATH for it. CI builds with the oldest that is promised,
# which has neither Clippy nor rustfmt. Neither waits for the other's lock.
LINT_PATH ?=
LINT      := $(if $(LINT_PATH),env PATH="$(LINT_PATH)" CARGO_TARGET_DIR="$(CARGO_TARGET_DIR)/lint")
# The engine that all use: a release, or `tests`, the one that the Rust tests have built.
ENGINE_OF ?= release
# Python compiles a file once, not once a process, wherever the environment says otherwise.
unexport PYTHONDONTWRITEBYTECODE
# A directory in which every suite writes how its tests ended and how long they took, if any; scripts/suites.py reads it.
TIMES     ?=
PYTEST     = $(BIN)/python -m pytest $(if $(TIMES),--junitxml=$(TIMES)/$@.xml)
VITEST_TIMES = $(if $(TIMES),-- --reporter=default --reporter=junit --outputFile.junit=$(TIMES)/$@.xml)

TOOLS_TEST := tshark=tshark tcptrace=tcptrace chromium-headless-shell=chromium-headless-shell prometheus=prometheus '/usr/lib/postgresql/*/bin/initdb=postgresql'
TOOLS_LIVE := ip=iproute2 nft=nftables shellcheck=shellcheck
TOOLS_DOCKER := dockerd=docker.io iptables=iptables debootstrap=debootstrap
TOOLS_BUILD := python3=python3 /usr/share/doc/python3-venv=python3-venv c++=g++ flex=flex bison=bison bc=bc xz=xz-utils patch=patch

.PHONY: help setup demo up images docs wheel sbom deb check-reproducible test-other-processor test-deb test check bench confusion papers calibrate-statistics calibrate-learning check-linux-word check-kernel-verdicts check-quic-verdicts check-searches worst-links mutants fuzz kernel near one-flow compare-stacks test-kernel test-kernel-runs test-compose clean \
        build-tests environment try-compose try-kernel engine test-rust test-stacks test-python test-web test-units test-browser-shared test-browser-own test-fuzz check-rust check-crates check-python check-web check-docs audit semver tools tools-test tools-live tools-bench

help: ## Say what the targets do
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-20s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

# --- set-up -----------------------------------------------------------------------------------------------------------

setup: engine $(VENV) $(PAGES) ## Build the engine, the Python environment and the web pages
	@echo "The command is $(BIN)/windlull"

# Linked statically, at fixed addresses: a run of some milliseconds would spend one on loading and relocating libraries.
STATIC = -C target-feature=+crt-static -C relocation-model=static

ifeq ($(ENGINE_OF),tests)
engine: build-tests
	@install -C -D target/debug/windlull-engine $(ENGINE)
else
engine:
	@scripts/need.sh cargo
	cargo rustc --release --locked --quiet -p windlull-engine --bin windlull-engine -- $(STATIC)
endif

# What tests are started by, whatever is tested.
environment: $(VENV) $(WEB_DEPS)

$(VENV): controller/requirements.lock controller/pyproject.toml scripts/venv.sh
	@scripts/venv.sh .venv controller/requirements.lock controller
	@touch $@

$(WEB_DEPS): web/package.json web/package-lock.json
	@scripts/need.sh node npm
	cd web && npm ci --no-audit --no-fund
	@touch $@

$(PAGES): $(WEB_DEPS) $(WEB_FILES)
	cd web && npm run --silent build
	@touch $@

$(DOCS_VENV)/.complete: docs/site/requirements.lock scripts/venv.sh
	@scripts/venv.sh $(DOCS_VENV) docs/site/requirements.lock
	@touch $@

# All Debian packages that any test uses, at once.
tools:
	@scripts/packages.sh $(TOOLS_TEST) $(TOOLS_LIVE) $(TOOLS_DOCKER) $(TOOLS_BUILD)

tools-test:
	@scripts/packages.sh $(TOOLS_TEST)

tools-live:
	@scripts/packages.sh $(TOOLS_LIVE)

tools-bench:
	@scripts/packages.sh g++=g++ taskset=util-linux /usr/bin/time=time /usr/include/ns3/core-module.h=libns3-dev

# --- what it is for ---------------------------------------------------------------------------------------------------

demo: setup ## Run the first experiment; no privileges needed
	@$(BIN)/windlull run papers/sarolahti2003/table-1 --out out/demo

up: ## Start the appliance and say where it is; WORKERS=4 adds a cluster, OWN=compose.user.yaml your own containers, WITH=quinn a stack
	@WORKERS="$(WORKERS)" OWN="$(OWN)" WITH="$(WITH)" images/up.sh

images: ## Build the appliance's images; PARTS=ready takes engine and pages from make setup; BASE=debootstrap needs no registry; WITH=quinn adds a stack
	@$(if $(filter ready,$(PARTS)),$(MAKE) setup,true)
	@BASE="$(BASE)" PARTS="$(PARTS)" WITH="$(WITH)" images/build.sh

# Everything anew each time: what was a warning the last time is one again.
docs: engine $(VENV) $(DOCS_VENV)/.complete ## Build the documentation as a site; a warning is an error
	@$(BIN)/python scripts/reference docs/generated
	@$(DOCS_VENV)/bin/sphinx-build --quiet --fresh-env --fail-on-warning --keep-going --conf-dir docs/site --doctree-dir target/docs/doctrees docs $(SITE)
	@$(BIN)/python scripts/check_site.py $(SITE)
	@echo "The site is in $(SITE); its first page is $(SITE)/index.html"

wheel: $(VENV) $(PAGES) ## Build dist/windlull-VERSION-....whl, which carries engine, profiles and web pages; TARGET=aarch64-unknown-linux-gnu for arm64
	@scripts/wheel/engine.sh "$(TARGET)" $(WHEEL_ENGINE)
	@$(BIN)/python scripts/wheel/build.py dist --engine $(WHEEL_ENGINE)

sbom: $(VENV) ## Write dist/sbom/*.cdx.json: what the engine, the pages and the command are made of, as CycloneDX
	@scripts/wheel/engine.sh "$(TARGET)" $(WHEEL_ENGINE)
	@$(BIN)/python scripts/sbom.py dist/sbom $(WHEEL_ENGINE) "$(TARGET)"

deb: wheel ## Build target/deb/windlull_VERSION_....deb for this machine's Debian, which carries the libraries, too
	@scripts/packages.sh dpkg-buildpackage=dpkg-dev dh=debhelper unzip=unzip '/usr/lib/python3*/ensurepip=python3-venv'
	@scripts/deb/build.sh target/deb

check-reproducible: ## Build the commit's wheel in two clones, and say which files differ; a quarter of an hour
	@TARGET="$(TARGET)" scripts/wheel/check-reproducible.sh target/reproducible

bench: setup tools-bench tools-live tools-test ## Measure against ns-3, and the plane; writes target/bench.json
	$(BIN)/python bench/run.py

# --- what must hold ---------------------------------------------------------------------------------------------------

test: check test-fuzz test-rust test-stacks test-python test-web try-kernel ## Everything: checks, unit, browser and end-to-end tests, fuzz corpus
	@echo "make test: all passed"

test-rust: build-tests tools-test tools-live
	cargo test --workspace --locked $(if $(TIMES),-- --quiet 2>&1 | tee $(TIMES)/$@.log,--quiet)

build-tests:
	@scripts/need.sh cargo
	cargo test --workspace --locked --quiet --no-run

test-python: setup tools-test tools-live
	# Through a pipe: tests that play a full disk limit the size of files, and the log may be a file.
	# A file's tests stay together: what they share is made once.
	$(PYTEST) controller --numprocesses 4 --dist loadfile --no-loadscope-reorder | cat

test-web: test-units test-browser-shared test-browser-own

test-units: $(WEB_DEPS)
	cd web && npm test $(VITEST_TIMES)

test-browser-shared test-browser-own: setup tools-test tools-live
	cd web && BROWSER_TESTS=$(subst test-browser-,,$@) ../scripts/own-network.sh npm run test:browser $(VITEST_TIMES)

test-stacks: ## Test the adapters of stacks from elsewhere, and the example of one in a test
	@scripts/need.sh cargo
	for stack in $(STACKS) $(EXAMPLES); do NEWER_PATH="$(LINT_PATH)" scripts/test-stack.sh $$stack || exit 1; done

test-fuzz:
	@$(LINT) fuzz/run.sh --replay --seconds 3

check: check-rust check-crates check-python check-web check-docs audit ## Formats, lints, types, one-way imports, links, audit; changes nothing
	@echo "make check: all passed"

CORE := units link wire tcp analysis sim capture

check-rust:
	@scripts/need.sh cargo
	# A crate's new dependency changes two locks: `cargo update --workspace --manifest-path fuzz/Cargo.toml` mends the second.
	$(LINT) cargo metadata --locked --format-version 1 --manifest-path fuzz/Cargo.toml >/dev/null
	$(LINT) cargo fmt --all --check
	$(LINT) cargo fmt --manifest-path fuzz/Cargo.toml --check
	$(LINT) cargo fmt --manifest-path controller/tests/qlog/reader/Cargo.toml --check
	# So it does of each stack's: `cargo update --workspace --manifest-path stacks/NAME/Cargo.toml`.
	for stack in $(STACKS) $(EXAMPLES); do \
		$(LINT) cargo metadata --locked --format-version 1 --manifest-path $$stack >/dev/null && \
		$(LINT) cargo fmt --all --manifest-path $$stack --check || exit 1; \
	done
	$(LINT) cargo clippy --workspace --all-targets --locked --quiet -- -D warnings
	$(LINT) scripts/check-core.sh $(CORE)

# The crates that others use: what a registry asks of them, what they bring along, and that they can be packed; seconds.
check-crates: $(VENV)
	@scripts/need.sh cargo
	$(LINT) $(BIN)/python scripts/check_crates.py

check-python: $(VENV)
	$(BIN)/ruff check controller bench fuzz images scripts stacks testbed
	$(BIN)/ruff format --check controller bench fuzz images scripts stacks testbed
	cd controller && ../$(BIN)/mypy

check-web: $(WEB_DEPS)
	cd web && npm run --silent check

check-docs: docs
	$(BIN)/python scripts/check_imports.py
	$(BIN)/python scripts/check_links.py
	$(BIN)/python scripts/check_libraries.py

audit: $(VENV) $(WEB_DEPS)
	@scripts/need.sh cargo
	$(BIN)/python scripts/audit.py

kernel: ## Build target/kernel/stock/linux, a kernel with netem that runs as a program; 5 minutes, once
	@testbed/kernel/build.sh target/kernel

test-kernel: kernel $(VENV) tools-live ## Try all that needs a kernel of its own: the runner, and the two planes against each other
	@scripts/packages.sh chrt=util-linux
	cargo test --release --locked --quiet -p windlull-kernel --features live
	cargo build --release --locked --quiet -p windlull-kernel -p windlull-probe
	$(BIN)/python testbed/kernel/planes/compare.py
	$(BIN)/python testbed/kernel/planes/compare.py --wire
	$(BIN)/python testbed/kernel/planes/distance.py
	testbed/kernel/between-bridges.sh
	$(MAKE) test-kernel-runs

one-flow: setup ## Measure what one flow gets through each link of today; writes the tables of docs/links
	$(BIN)/python scripts/one_flow.py

compare-stacks: setup kernel tools-live ## Compare the stacks that are built, and Linux; writes docs/stacks-compared.md
	$(BIN)/python scripts/compare_stacks.py

near: setup kernel tools-live ## Compare our variant `modern` with Linux on twelve links; writes docs/near-linux.md
	$(BIN)/python testbed/kernel/near/near.py --write

test-kernel-runs: setup kernel tools-test tools-live ## Make runs in a kernel of its own, in virtual time; a minute
	WINDLULL_KERNEL_RUNS=1 $(PYTEST) controller/tests/kernel | cat

# As test-kernel-runs, where a kernel was built.
try-kernel:
	@if [ -x target/kernel/stock/linux ]; then \
		$(MAKE) test-kernel-runs; \
	else \
		echo "note: the testbed kernel was NOT tried: there is no kernel; \`make kernel\` builds it"; \
	fi

test-compose: environment $(if $(filter ready,$(PARTS)),setup) ## Start the appliance on a real Docker engine, and try all that it promises; needs root; PARTS as for images
	@scripts/docker-packages.sh
	@scripts/packages.sh tshark=tshark chromium-headless-shell=chromium-headless-shell
	WINDLULL_APPLIANCE=1 PARTS="$(PARTS)" $(PYTEST) controller/tests/appliance/test_compose.py controller/tests/appliance/test_interop.py | cat

test-other-processor: wheel ## Run experiments with the engine of the arm64 wheel under QEMU, and compare with this machine's; needs x86-64
	@$(MAKE) wheel TARGET=aarch64-unknown-linux-gnu
	@scripts/packages.sh qemu-aarch64-static=qemu-user-static
	WINDLULL_OTHER_PROCESSOR=aarch64 WINDLULL_ENGINE=$(CURDIR)/$(WHEEL_ENGINE) $(PYTEST) controller/tests/end_to_end/test_other_processor.py | cat

test-deb: deb ## Install the Debian package on a bare Debian, and try it there; needs root
	@scripts/deb/try.sh target/deb/windlull_*.deb

# As test-compose; a machine that lets no container run is told from an appliance that fails.
try-compose: environment
	@if why=$$(scripts/docker-packages.sh 2>&1 >/dev/null) \
		&& why=$$(cd controller && ../$(BIN)/python -m tests.appliance.engine 2>&1); then \
		$(MAKE) test-compose; \
	else \
		echo "note: the appliance was NOT tried: no container runs on this machine. $$why"; \
	fi

mutants: ## Change TCP's mechanisms one operator at a time, and say what no test notices; SHARD=0/8 takes an eighth
	@scripts/need.sh cargo cargo-mutants
	PROPTEST_CASES=24 cargo mutants --shard $(SHARD) --sharding round-robin --jobs 1 --output target

papers: setup ## Run every experiment of the papers with five master seeds; writes the figure of README.md and docs/reproduce-a-paper.md
	mkdir -p out
	$(BIN)/windlull papers --seeds 5 --out out/papers --json out/papers.json
	$(BIN)/python scripts/papers_figure.py out/papers.json

confusion: setup ## Score every detector over 1,000 random links; writes the tables of docs/detectors.md
	$(BIN)/python scripts/confusion.py --page docs/detectors.md

calibrate-statistics: setup ## Measure how often intervals, gates and comparisons are wrong; writes the tables of docs/statistics.md
	$(BIN)/python scripts/calibrate/calibrate_statistics.py --page docs/statistics.md

calibrate-learning: setup ## Learn 200 links that are known from captures, and compare transfers over both
	$(BIN)/python scripts/calibrate/calibrate_learning.py

check-linux-word: setup kernel tools-live ## Compare what Linux said of its timeouts with the fates, over 200 links; writes the tables of docs/linux-word.md
	$(BIN)/python scripts/check_linux_word.py --page docs/linux-word.md

check-searches: setup ## Hold `windlull search` against faults planted in our TCP, in Linux and in a QUIC stack, and against links drawn at random; some hours
	$(BIN)/python scripts/check_searches.py

check-kernel-verdicts: setup tools-live ## Hold `windlull kernel check` and `bisect` against patches and histories of which the answer is known; an hour or two
	$(BIN)/python scripts/check_kernel_verdicts.py check
	$(BIN)/python scripts/check_kernel_verdicts.py bisect

worst-links: setup kernel tools-live ## Search for the worst links of six senders; ships them and writes the tables of docs/worst-links.md
	$(BIN)/windlull stacks build quinn
	$(BIN)/python scripts/worst_links.py

check-quic-verdicts: setup tools-test ## Judge 500 runs of QUIC again by qlogs and captures alone; VARIANTS=aioquic,quinn for others
	$(BIN)/python scripts/check_quic_verdicts.py --variants $(or $(VARIANTS),aioquic)

fuzz: ## Fuzz every parser for SECONDS=600 in all; a crash fails
	fuzz/run.sh --seconds $(SECONDS)

semver: $(VENV) ## Say what of the published crates' interfaces has changed since BASELINE, by default the last release
	@$(LINT) scripts/need.sh cargo cargo-semver-checks
	$(LINT) $(BIN)/python scripts/check_crates.py --semver $(BASELINE)

generate: ## Write anew all files that are made of Rust's and the API's types: schemas, types, tables of the documents
	cargo run --locked --quiet -p windlull-profile --example embed
	cargo run --locked --quiet -p windlull-experiment --example generate
	$(MAKE) setup
	$(BIN)/python scripts/contract.py $(ENGINE)
	$(BIN)/python scripts/api_document.py
	cd web && npm run --silent types

clean: ## Remove what make made, and nothing else
	rm -rf target .venv dist docs/generated web/node_modules web/dist out/demo fuzz/target fuzz/corpus fuzz/artifacts
	find controller scripts testbed -name __pycache__ -prune -exec rm -rf {} +
	@rmdir out 2>/dev/null || true
