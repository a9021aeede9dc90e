# Targets for users, developers and CI. `make demo` and `make test` do all the setup.

PYTHON ?= python3
VENV   := .venv
BIN    := target/release/outcrop
# Folder of the test builds; CARGO_TARGET_DIR overrides it.
TEST_FOLDER := $(or $(CARGO_TARGET_DIR),target)/debug
# State for the next build is worth its time only if there was a build before.
export CARGO_INCREMENTAL ?= $(if $(wildcard $(TEST_FOLDER)),1,0)
SHARED ?= ../shared
LINTERS := $(CURDIR)/$(VENV)/bin
LIBRARY := $(CURDIR)/crates/python/python/outcrop/_outcrop.abi3.so

DEMO        := demo
DEMO_SCALE  ?= 21
DEMO_MEMORY ?= 96MiB

.PHONY: demo build test test-rust library test-python test-deploy wheel sdist check-packages release-check fuzz loom miri sanitize deny semver mutants musl coverage environment conformance generated lint lint-rust lint-python proof aarch64 timings bench budgets load environments big soak docs clean need-cargo need-python need-aarch64 need-nightly

demo: need-cargo ## Rank a graph larger than its memory budget
	cargo build --release -p outcrop-cli
	@mkdir -p $(DEMO)
	@echo "== 1. A graph: 2^$(DEMO_SCALE) vertices, 16 edges each"
	$(BIN) generate kronecker --scale $(DEMO_SCALE) --edge-factor 16 --seed 1 -o $(DEMO)/edges.bin --overwrite
	@echo "== 2. A store, built in $(DEMO_MEMORY)"
	$(BIN) build $(DEMO)/edges.bin $(DEMO)/kronecker.outcrop --overwrite --memory $(DEMO_MEMORY)
	$(BIN) info $(DEMO)/kronecker.outcrop
	@echo "== 3. PageRank in $(DEMO_MEMORY), from disk: the ten highest ranks"
	$(BIN) run pagerank $(DEMO)/kronecker.outcrop --memory $(DEMO_MEMORY) --iterations 10 --top 10
	@echo "The store is in $(DEMO)/; try: $(BIN) run wcc $(DEMO)/kronecker.outcrop --memory $(DEMO_MEMORY)"

build: need-cargo ## The command line, with object storage, which `make demo` omits
	cargo build --release -p outcrop-cli --features remote

# A failed part does not stop the others, and is named at the end.
test: ## All tests that CI runs, without the lints; all parts share test builds
	@.ci/test test-rust test-python test-deploy conformance

# Rust tests create and sync thousands of small files, which takes half as long on a RAM disk; tests of Python and conformance use the disk.
# They wait for processes: a third one at a time keeps two cores busy.
TEST_TMP := $(shell df --output=avail /dev/shm 2> /dev/null | awk 'NR == 2 && $$1 > 4000000 { print "/dev/shm" }')
test-rust: need-cargo
	$(if $(TEST_TMP),TMPDIR=$(TEST_TMP)) RUST_TEST_THREADS=$${RUST_TEST_THREADS:-3} cargo test --workspace --no-fail-fast

# Packages of the tests; downloaded while Rust compiles.
environment: $(VENV)/bin/pytest

$(VENV)/bin/pytest: crates/python/pyproject.toml | need-python
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/python -m pip install --quiet --upgrade pip
	$(VENV)/bin/python -m pip install --quiet --group crates/python/pyproject.toml:test
	@touch $@

# The library in the package folder. It is built together with the tests: alone, its dependencies would have fewer features, and all crates
# would be compiled again. `make wheel` builds it alone.
library: need-cargo
	cargo build --workspace --lib --bins --tests
	@cd $(TEST_FOLDER) && for library in lib_outcrop.so lib_outcrop.dylib; do \
	  if [ -f $$library ]; then rm -f $(LIBRARY) && cp $$library $(LIBRARY); fi; done

test-python: library $(VENV)/bin/pytest
	PYTHONPATH=$(CURDIR)/crates/python/python $(VENV)/bin/python -m pytest --quiet --numprocesses 3 --dist worksteal crates/python/tests

test-deploy: need-cargo $(VENV)/bin/pytest
	cargo build --workspace --lib --bins --tests
	$(VENV)/bin/kubernetes-validate --strict -k 1.31 deploy/job.yaml
	deploy/test.sh $(TEST_FOLDER)/outcrop

wheel: need-cargo $(VENV)/bin/pytest ## The Python package, as users install it, in target/wheels; tested in an environment without Rust
	$(VENV)/bin/python -m pip install --quiet --group crates/python/pyproject.toml:wheel
	@PATH="$(CURDIR)/$(VENV)/bin:$$PATH" .ci/wheel

sdist: need-cargo $(VENV)/bin/pytest ## The source of the Python package, in target/wheels
	$(VENV)/bin/python -m pip install --quiet --group crates/python/pyproject.toml:wheel
	$(PYTHON) .ci/licenses.py
	$(VENV)/bin/maturin sdist -m crates/python/Cargo.toml --out target/wheels

# A tag names the version of its commit, and a release has a wheel for each platform and the source.
check-packages: need-python
	@grep -q '^version = "$(VERSION)"$$' Cargo.toml || { echo "error: Cargo.toml does not have version $(VERSION)" >&2; exit 1; }
	@for part in manylinux_*_x86_64.whl manylinux_*_aarch64.whl musllinux_*_x86_64.whl macosx_*_arm64.whl macosx_*_x86_64.whl .tar.gz; do \
	  ls $(PACKAGES)/outcrop-$(VERSION)*$$part > /dev/null || exit 1; done

# Published results; the data is outside the repository.
CONFORMANCE = @if [ -f $(SHARED)/tools/conformance.py ]; then \
	  printf '%s\n' soc-ego-twitter-u wiki-Vote email-Eu-core w-netscience p2p-Gnutella05 | xargs -P 2 -n 1 \
	    $(PYTHON) $(SHARED)/tools/conformance.py --outcrop $(1)/outcrop --algorithms bfs,wcc,pagerank,sssp,kcore,triangles,lcc,cdlp \
	    --memory 64MiB --run-args "--page-cache 256KiB" --graphs; \
	else echo "conformance: skipped, there is no $(SHARED)/tools/conformance.py"; fi
# The command is that of the command-line tests, with the same build.
conformance: need-cargo need-python
	cargo build --workspace --lib --bins --tests
	$(call CONFORMANCE,$(TEST_FOLDER))

generated: need-cargo ## Files generated from the tables of algorithms and options: Python functions, reference pages, docs/memory.md, docs/cli.md
	OUTCROP_WRITE_GENERATED=1 cargo test -p outcrop --test generated
	OUTCROP_WRITE_GENERATED=1 cargo test -p outcrop-cli --lib reference

lint: lint-rust lint-python

# Source structure and language first: cycles, folders, functions, doc comments, pages, phrases. This takes some seconds.
lint-rust: need-cargo need-python
	$(PYTHON) .ci/structure.py
	$(PYTHON) .ci/words.py
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- -D warnings

# Both type checkers at the same time, since users have either; the stub file stands for the compiled library.
lint-python: $(VENV)/bin/pytest
	cd crates/python && $(LINTERS)/ruff check --quiet --output-format concise . && $(LINTERS)/ruff format --check --quiet python
	@cd crates/python && { $(LINTERS)/mypy & mypy=$$!; $(LINTERS)/basedpyright --pythonpath $(LINTERS)/python; pyright=$$?; \
	  wait $$mypy && [ $$pyright = 0 ]; }

proof: wheel ## The whole test matrix, NetworkX's tests with the backend, real graphs on Spark and with GraphX, training on a graph larger than memory, and every layout against published results; hours
	OUTCROP_PROOF=1 cargo test -p outcrop --test algorithms --no-fail-fast
	OUTCROP_PROOF=1 PYTHONPATH=$(CURDIR)/crates/python/python $(VENV)/bin/python -m pytest --quiet crates/python/tests/test_networkx_suite.py crates/python/tests/test_networkx_real.py
	OUTCROP_PROOF=1 PYTHONPATH=$(CURDIR)/crates/python/python $(VENV)/bin/python -m pytest --quiet -s crates/python/tests/test_spark.py -k real_graphs
	$(PYTHON) -m venv target/learning
	target/learning/bin/python -m pip install --quiet --upgrade pip
	target/learning/bin/python -m pip install --quiet --group crates/python/pyproject.toml:test "$$(ls target/wheels/*.whl)[learning]"
	target/learning/bin/python -m pytest --quiet crates/python/tests/test_pyg.py crates/python/tests/test_learning.py
	target/learning/bin/python examples/graph_sage.py target/learning/graph --scale 20 --memory 24MiB --seeds 20000
	cargo build --release -p outcrop-cli
	@for layout in chunked csr compact sliding; do \
	  $(PYTHON) $(SHARED)/tools/conformance.py --outcrop $(BIN) --memory 64MiB --build-args "--layout $$layout" || exit 1; done
	$(PYTHON) bench/promises.py

target/docs/bin/mkdocs: crates/python/pyproject.toml | need-python
	$(PYTHON) -m venv target/docs
	target/docs/bin/python -m pip install --quiet --upgrade pip
	target/docs/bin/python -m pip install --quiet --group crates/python/pyproject.toml:docs
	@touch $@

docs: target/docs/bin/mkdocs ## The documentation site, in target/site; its links and anchors are checked
	NO_MKDOCS_2_WARNING=1 target/docs/bin/mkdocs build --strict --quiet

fuzz: library $(VENV)/bin/pytest ## Fuzz targets for FUZZ_SECONDS (60) each (needs a nightly toolchain); the log is fuzz.log
	$(PYTHON) bench/fuzz.py

# The models are tests of these crates under another configuration, and share no builds with the others.
loom: need-cargo ## Models of concurrent code in all interleavings, five of them up to three preemptions
	RUSTFLAGS="--cfg loom" cargo test --target-dir target/loom -p outcrop-io -p outcrop-engine -p outcrop-messages -p outcrop-types --lib models -- --test-threads 1

# Toolchain with the components miri and rust-src, and the processor that Miri emulates: with AVX2, so that it runs the vector code.
NIGHTLY ?= nightly
MIRI    := $(if $(filter x86_64,$(shell uname -m)),RUSTFLAGS="-C target-cpu=x86-64-v3") MIRIFLAGS="-Zmiri-disable-isolation" PROPTEST_CASES=2 \
  cargo +$(NIGHTLY) miri test --target-dir target/miri --lib

miri: need-nightly ## Unsafe code, codecs, page cache and concurrent arrays under Miri (needs a nightly toolchain)
	$(MIRI) -p outcrop-types
	$(MIRI) -p outcrop-io
	$(MIRI) -p outcrop-store codec::
	$(MIRI) -p outcrop-engine -- atomic_lists:: frontier:: unrolled_sum:: values::

# The standard library is compiled too: otherwise ThreadSanitizer does not see its locks. One test requests memory that does not exist.
sanitize: need-nightly ## Tests of the crates with unsafe code and threads under AddressSanitizer and ThreadSanitizer (needs a nightly toolchain)
	for kind in address thread; do \
	  ASAN_OPTIONS=allocator_may_return_null=1 TSAN_OPTIONS=allocator_may_return_null=1 RUSTFLAGS="-Zsanitizer=$$kind" cargo +$(NIGHTLY) test -Zbuild-std --target $$(rustc -vV | sed -n 's/^host: //p') \
	    --target-dir target/sanitize-$$kind --no-fail-fast -p outcrop-types -p outcrop-io -p outcrop-store -p outcrop-engine \
	    -p outcrop-messages -p outcrop-gas --lib || exit 1; done

deny: need-cargo ## Licenses, sources and known vulnerabilities of dependencies (needs cargo-deny)
	@command -v cargo-deny > /dev/null || { echo "cargo-deny not found: run cargo install cargo-deny, then run make deny again" >&2; exit 1; }
	cargo deny check $(DENY)

# The crates of a release that Rust programs depend on. The first release has nothing to compare with: it only has to build.
semver: need-cargo ## The Rust API against the last release (needs cargo-semver-checks)
	@command -v cargo-semver-checks > /dev/null || { echo "cargo-semver-checks not found: run cargo install cargo-semver-checks, then run make semver again" >&2; exit 1; }
	@last=$$(git describe --tags --abbrev=0 --match 'v*' HEAD^ 2> /dev/null); \
	if [ -n "$$last" ]; then cargo semver-checks -p outcrop -p outcrop-types --baseline-rev $$last; \
	else echo "semver: skipped, there is no earlier release"; fi

MUTANTS ?= 0/1
# Unit tests of the crate only: with the others, a change takes a minute instead of seconds.
mutants: need-cargo ## Changes lines of codec, manifest, budget, lock and journal, which a unit test must notice (needs cargo-mutants); MUTANTS=k/n runs a part; two hours
	@command -v cargo-mutants > /dev/null || { echo "cargo-mutants not found: run cargo install cargo-mutants, then run make mutants again" >&2; exit 1; }
	CARGO_INCREMENTAL=1 cargo mutants --workspace --shard $(MUTANTS) --output target --timeout 60 --cargo-arg=--lib

release-check: need-cargo need-python ## Every check before a release, for hours; the result is target/release-check.md
	$(PYTHON) bench/release_check.py $(CHECKS)

soak: need-cargo need-python ## Long tests with kills, flipped bits and full disks, for SOAK_MINUTES or once each; the log is soak.log
	$(PYTHON) bench/soak.py

# Emulated aarch64: the instructions of its processors, a kernel without io_uring, and page sizes of 4, 16 and 64 KiB. qemu only reports
# the larger pages: it still accepts addresses that are multiples of 4 KiB. Memory is ordered as on this machine, not as weakly as on
# aarch64, on which CI runs all tests. qemu ignores limits of the address space, so the test `memory_limit` is left out, and it fails
# with larger pages when a program prints a backtrace.
AARCH64_LINKER ?= aarch64-linux-gnu-gcc
AARCH64_ROOT   ?= /usr/aarch64-linux-gnu
QEMU_AARCH64   ?= qemu-aarch64
AARCH64_TEST   := CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=$(AARCH64_LINKER) \
  CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER='$(QEMU_AARCH64) -L $(AARCH64_ROOT)' RUST_BACKTRACE=0 \
  cargo test --target aarch64-unknown-linux-gnu --no-fail-fast

aarch64: need-aarch64 ## Tests of types, io, store with its codecs, and engine for aarch64, under qemu
	$(AARCH64_TEST) -p outcrop-types -p outcrop-io -p outcrop-store -p outcrop-engine --lib --test backends --test edge_map --test interval
	QEMU_PAGESIZE=16384 $(AARCH64_TEST) -p outcrop-io --lib --test backends
	QEMU_PAGESIZE=65536 $(AARCH64_TEST) -p outcrop-io --lib --test backends

# Rust links musl statically, so its programs run on any Linux. C compilers of dependencies are those of musl-tools.
MUSL      := x86_64-unknown-linux-musl
MUSL_TEST := --target $(MUSL) --target-dir target/musl
musl: need-cargo need-python ## Tests of types, io, store and engine, and published results of the command, with the C library musl
	@rustup target list --installed | grep -q $(MUSL) || { echo "no Rust for musl: run rustup target add $(MUSL)" >&2; exit 1; }
	cargo test $(MUSL_TEST) --no-fail-fast -p outcrop-types -p outcrop-io -p outcrop-store -p outcrop-engine
	cargo build $(MUSL_TEST) -p outcrop-cli
	$(call CONFORMANCE,target/musl/$(MUSL)/debug)

# All processes add to the same files of counters; a process that is killed adds nothing.
COVERAGE := CARGO_INCREMENTAL=0 LLVM_PROFILE_FILE_NAME=outcrop-%8m.profraw cargo llvm-cov
coverage: need-cargo ## Share of lines of each crate that the Rust tests run (needs cargo-llvm-cov); the files are in target/coverage.txt
	@command -v cargo-llvm-cov > /dev/null || { echo "cargo-llvm-cov not found: run cargo install cargo-llvm-cov, then run make coverage again" >&2; exit 1; }
	$(COVERAGE) test --workspace --no-fail-fast --no-report
	$(COVERAGE) report --summary-only --ignore-filename-regex '(^|/)(bench|fuzz|tests|examples)/|tests\.rs$$' > target/coverage.txt
	@awk '$$8 ~ /^[0-9]+$$/ { split($$1, parts, "/"); lines[parts[1]] += $$8; missed[parts[1]] += $$9 } \
	  END { for (crate in lines) printf "%-12s %6d lines, %5.1f%% run\n", crate, lines[crate], 100 - 100 * missed[crate] / lines[crate] }' target/coverage.txt | sort

timings: need-cargo ## Cost of the release build: seconds per crate, sizes, numbers of functions
	cargo build --release --timings --target-dir target/timings -p outcrop-cli
	@strip -o target/timings/stripped target/timings/release/outcrop
	@echo "as built    $$(stat -c %s target/timings/release/outcrop) bytes"
	@echo "stripped    $$(stat -c %s target/timings/stripped) bytes"
	@echo "functions   $$(nm target/timings/release/outcrop | grep -ci ' t ')"
	@echo "crates      target/timings/cargo-timings/cargo-timing.html"

# Settings of the runs on stores and arrays.
BENCH        := target/release/outcrop-bench
BENCH_MEMORY := 192MiB
BENCH_LIMIT  := 256MiB
BENCH_BUILD   = $(BIN) build $(DEMO)/bench.bin --ids dense --num-vertices 4194304 --memory $(BENCH_MEMORY) --overwrite

bench: build need-python ## Compare outcrop with a memory-mapped CSR in memory control groups (needs root), and its defaults with alternatives
	cargo build --release -p outcrop-bench
	@mkdir -p $(DEMO)
	$(BIN) generate kronecker --scale 22 --edge-factor 16 --seed 1 --weights 1..255 -o $(DEMO)/bench.bin --overwrite
	$(BENCH_BUILD) $(DEMO)/plain.outcrop
	$(BENCH_BUILD) $(DEMO)/weighted.outcrop --weighted
	rm -rf $(DEMO)/bench.mmap-csr
	$(BENCH) mmap-csr build $(DEMO)/bench.bin $(DEMO)/bench.mmap-csr --num-vertices 4194304 --weighted
	@source=$$($(PYTHON) -c 'import json, sys; print(json.load(open(sys.argv[1]))["widest_vertex"])' $(DEMO)/bench.mmap-csr/graph.json) && \
	for run in "plain pagerank --iterations 10" "plain bfs --source $$source" "plain wcc" "weighted sssp --source $$source"; do set -- $$run; \
	  store=$$1 algorithm=$$2; shift 2; echo "== $$algorithm $$*"; \
	  $(BENCH) side-by-side bench/peers/mmap-csr.json --set outcrop=$(BIN) --set bench=$(BENCH) --set store=$(DEMO)/$$store.outcrop \
	    --set arrays=$(DEMO)/bench.mmap-csr --set algorithm=$$algorithm --set memory=$(BENCH_MEMORY) --set limit=$(BENCH_LIMIT) \
	    -- "$$@" || exit 1; done; \
	echo "== defaults"; $(BENCH) defaults $(DEMO)/plain.outcrop --source $$source

budgets: build need-python ## Commands with random budgets in memory control groups of 64 MiB more (needs root); the log is budgets.log
	$(PYTHON) bench/budgets.py --outcrop $(BIN) --folder $(DEMO)/budgets

load: build need-python ## 32 processes on one store, with every answer compared, for LOAD_MINUTES (60)
	$(PYTHON) bench/load.py --outcrop $(BIN)

environments: build need-python ## The same results on other file systems, with refused system calls and on an older processor (needs root)
	$(PYTHON) bench/environments.py --outcrop $(BIN)

big: build need-python ## Build and rank graphs of 1 and 2 billion edges (needs root, 30 GB of disk and 20 minutes)
	$(PYTHON) bench/scaling.py big --outcrop $(BIN) --folder $(DEMO)/big --scales 26-27 --build-memory 2GiB

clean:
	cargo clean
	rm -rf $(VENV) $(DEMO)

need-cargo:
	@command -v cargo > /dev/null || { echo "cargo not found: install Rust from https://rustup.rs, then run make again" >&2; exit 1; }

need-nightly: need-cargo
	@cargo +$(NIGHTLY) miri --version > /dev/null 2>&1 || { \
	  echo "Miri not found: run rustup toolchain install $(NIGHTLY) --component miri,rust-src, then run make miri again" >&2; exit 1; }

# Names everything that is missing at once.
need-aarch64: need-cargo
	@missing() { echo "$$1 not found: $$2, then run make aarch64 again" >&2; }; found=true; \
	command -v $(QEMU_AARCH64) > /dev/null || { found=false; missing $(QEMU_AARCH64) "install qemu-user (Debian: apt install qemu-user)"; }; \
	command -v $(AARCH64_LINKER) > /dev/null || { found=false; \
	  missing $(AARCH64_LINKER) "install a cross compiler (Debian: apt install gcc-aarch64-linux-gnu libc6-dev-arm64-cross)"; }; \
	[ -e $(AARCH64_ROOT)/lib/ld-linux-aarch64.so.1 ] || { found=false; \
	  missing $(AARCH64_ROOT)/lib/ld-linux-aarch64.so.1 "install the C library (Debian: apt install libc6-arm64-cross) or set AARCH64_ROOT"; }; \
	[ -d "$$(rustc --print target-libdir --target aarch64-unknown-linux-gnu)" ] || { found=false; \
	  missing "the Rust target" "run rustup target add aarch64-unknown-linux-gnu"; }; $$found

need-python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2> /dev/null || { echo "Python 3.10 or newer not found: install it, or run make PYTHON=/path/to/python3" >&2; exit 1; }
