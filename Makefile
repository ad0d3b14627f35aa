# A thin cover over CMake and CTest; `make` alone lists what there is.
JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
FUZZ_SECONDS ?= 60
FUZZ_LONG ?= 3600
MUTANTS ?= 200
SOAK_SECONDS ?= 7200
export CTEST_PARALLEL_LEVEL ?= $(JOBS)
export CMAKE_BUILD_PARALLEL_LEVEL ?= $(JOBS)

# sanitizers of this age do not survive the address randomisation of some newer kernels
FIXED := $(shell setarch -R true 2>/dev/null && echo setarch -R)

help:
	@echo 'make run            build, then show directed exploration at work: build/wac demo'
	@echo 'make test           build and run the tests (4 to 8 minutes on two cores)'
	@echo 'make build          the program build/wac and the library build/libwac.so'
	@echo 'make test-matrix    the tests under the sanitizers, of gcc and clang; one run in valgrind'
	@echo 'make analyse        what gcc, clang-tidy, cppcheck and shellcheck find without running it'
	@echo 'make test-device    exported policies in onnxruntime (PyPI) and on a Cortex-M (qemu)'
	@echo 'make test-arm64     compile for arm64; parity, arithmetic and a training run by emulation'
	@echo 'make test-cluster   sweeps over three hosts by MPI, and by a Slurm of its own (2 minutes, root)'
	@echo 'make test-watch     the page of wac watch in a real browser, Chromium (half a minute)'
	@echo 'make test-faults    let calls of the program to the system fail, from every place (an hour)'
	@echo 'make test-power     cut the power at every moment, in every way (minutes)'
	@echo 'make coverage       which lines and branches the tests execute, room by room (long)'
	@echo 'make mutate         change the sources, MUTANTS=200 times; do the tests notice? (hours)'
	@echo 'make soak           train, kill, resume, look, for SOAK_SECONDS=7200'
	@echo 'make test-reproducible  build twice, in two folders, and compare the bytes'
	@echo 'make test-learning  train until every algorithm has learned what it should (long)'
	@echo 'make bench          speed: kernels, updates, training, PyTorch beside it, steps of the mazes'
	@echo 'make count-instructions  of an update, by callgrind'
	@echo 'make fuzz           feed broken files to the readers, FUZZ_SECONDS=60 for each'
	@echo 'make fuzz-long      FUZZ_LONG=3600 for each, on all cores; adds to tests/fuzz/record.csv'
	@echo 'make fuzz-coverage  what of each reader the kept inputs reach'
	@echo 'make docs           the documentation as a site, build/docs/index.html'
	@echo 'make format         lay out all C sources by .clang-format'
	@echo 'make install        program, library, headers into PREFIX=/usr/local (and DESTDIR)'
	@echo 'make wheel          the Python package, dist/wac-*.whl; make test-wheel tries it'
	@echo 'make deb            a Debian package, build/deb/wac_VERSION_ARCHITECTURE.deb'
	@echo 'make bundle         a folder that runs where nothing can be installed: build/bundle'
	@echo 'make tarball        the sources as build/wac-VERSION.tar.xz'
	@echo 'make clean          remove build/'
	@echo
	@echo 'Missing Debian packages are installed first (as root or by sudo), or named.'

build:
	@scripts/install-packages run
	@cmake --preset release >/dev/null
	@cmake --build --preset release

run: build
	@build/wac demo

test: test-build
	@ctest --preset release

test-build:
	@scripts/install-packages test
	@cmake --preset release -DWAC_TESTS=ON $(if $(CI),-DWAC_WERROR=ON) >/dev/null
	@cmake --build --preset release

# gcc compiles here too; its tests are those of `make test`; CI leaves out what takes a sanitizer long
test-matrix: test-build matrix-asan matrix-tsan matrix-valgrind

matrix-packages:
	@scripts/install-packages matrix

matrix-%: matrix-packages
	@echo '--- $*'
	@cmake --preset $* >/dev/null
	@cmake --build --preset $*
	@$(FIXED) ctest --preset $* $(if $(CI),--label-exclude long)

matrix-valgrind: build matrix-packages
	@echo '--- valgrind'
	@out=$$(mktemp -d) && trap 'rm -rf "$$out"' EXIT && \
	valgrind -q --error-exitcode=1 --leak-check=full --errors-for-leak-kinds=definite \
	    --fair-sched=try build/wac train riverswim --epochs 1 --updates 20 --initial-steps 50 \
	    --explore-steps 50 --evaluation-steps 50 --width 16 --batch-size 16 --out "$$out/run"

analyse-packages:
	@scripts/install-packages analyse

# the sources of the product: gcc's analyser follows paths, the others know patterns
analyse: analyse-packages test-build
	@echo '--- shellcheck'
	@shellcheck $$(git grep -lE '^#!/bin/(ba)?sh' -- .ci scripts tests)
	@echo '--- cppcheck'
	@cppcheck --quiet --error-exitcode=1 -j$(JOBS) --enable=warning --std=c11 \
	    --library=posix,gnu,cmake/cppcheck.cfg --suppressions-list=cmake/cppcheck.txt \
	    -D_GNU_SOURCE -D__GNUC__ -Iinclude -Isrc -Icli src cli plugins bench examples/*.c
	@echo '--- clang-tidy'
	@git ls-files 'src/*.c' 'cli/*.c' 'plugins/*.c' ':(glob)examples/*.c' | \
	    xargs -P$(JOBS) -n8 clang-tidy -p build --quiet
	@echo '--- gcc -fanalyzer'
	@cmake --preset analyse >/dev/null
	@cmake --build --preset analyse

test-device: test-build
	@scripts/install-packages device
	@ctest --preset release -R '^(test_export|onnx|example_.*)$$'

test-arm64:
	@scripts/test-arm64

# the sanitizer has an operator new of its own, which does not fail: hence the plain build besides
test-faults: test-build matrix-packages
	@cmake --preset asan >/dev/null
	@cmake --build --preset asan --target wac test_faults
	@$(FIXED) ctest --preset faults-asan
	@ctest --preset faults-release

test-watch: test-build
	@scripts/install-packages watch
	@cmake --preset release -DWAC_TESTS=ON >/dev/null
	@cmake --build --preset release
	@ctest --preset watch

test-cluster:
	@scripts/test-cluster

test-power: test-build
	@ctest --preset power

test-reproducible:
	@scripts/test-reproducible

# counts are kept over calls: a part of the tests run again adds to them
coverage:
	@scripts/install-packages coverage
	@cmake --preset coverage >/dev/null
	@cmake --build --preset coverage
	@ctest --preset coverage; scripts/coverage build/coverage

mutate: test-build
	@scripts/mutate build --sample $(MUTANTS)

soak: build
	@scripts/soak build/wac $(SOAK_SECONDS)

test-learning: test-build
	@ctest --preset learning

bench: build
	@cmake --build --preset release --target bench_update_rounds bench_world_steps
	@echo '--- kernels'
	@build/wac bench kernels
	@echo '--- updates'
	@build/wac bench update --quick
	@echo '--- the training loop'
	@build/wac bench train
	@echo '--- peers'
	@bench/peers/compare.py build
	@echo '--- steps of the mazes'
	@build/bench_world_steps

count-instructions: build
	@scripts/install-packages matrix
	@cmake --build --preset release --target bench_count_updates
	@scripts/count-instructions build

fuzz-build: matrix-packages
	@cmake --preset fuzz >/dev/null
	@cmake --build --preset fuzz

fuzz-build-plain: matrix-packages
	@cmake --preset fuzz-plain >/dev/null
	@cmake --build --preset fuzz-plain

fuzz: fuzz-build
	@set -e; for source in tests/fuzz/fuzz_*.c; do \
	    name=$$(basename $$source .c); seeds=tests/fuzz/corpus/$${name#fuzz_}; \
	    found=build/fuzz/corpus/$${name#fuzz_}; mkdir -p $$seeds $$found; \
	    echo "--- $$name"; \
	    $(FIXED) build/fuzz/tests/$$name -max_total_time=$(FUZZ_SECONDS) -verbosity=0 \
	        -print_final_stats=1 -artifact_prefix=build/fuzz/ $$found $$seeds; \
	done

fuzz-long: fuzz-build-plain fuzz-build
	@scripts/fuzz-long $(FUZZ_LONG) $(JOBS)

# what long runs have found lies beside the build, and counts
READERS := base/archive base/csv base/tensors base/yaml bench/results config/file env/mujoco/custom \
    env/mujoco/quantity env/mujoco/recipe env/world report/experiment_file report/note rl/save run/check \
    run/checkpoint run/events run/folder run/maps stats/foreign sweep/file watch/request
fuzz-coverage: matrix-packages
	@cmake --preset fuzz-coverage >/dev/null
	@cmake --build --preset fuzz-coverage
	@rm -f build/fuzz-coverage/*.profraw
	@for source in tests/fuzz/fuzz_*.c; do name=$$(basename $$source .c); kind=$${name#fuzz_}; \
	    mkdir -p build/fuzz/corpus/$$kind; \
	    LLVM_PROFILE_FILE=build/fuzz-coverage/$$kind.profraw build/fuzz-coverage/tests/$$name \
	        -runs=0 tests/fuzz/corpus/$$kind build/fuzz/corpus/$$kind 2>/dev/null; done
	@llvm-profdata merge -o build/fuzz-coverage/all.profdata build/fuzz-coverage/*.profraw
	@llvm-cov report -instr-profile=build/fuzz-coverage/all.profdata \
	    $$(ls build/fuzz-coverage/tests/fuzz_* | sed '2,$$s/^/-object=/') | \
	    awk -v 'wanted=$(READERS:%=src/%.c) cli/options.c' \
	        'BEGIN { printf "%-28s%10s%10s\n", "reader", "lines", "branches"; split(wanted, names); \
	                 for (i in names) is[names[i]] = 1 } \
	         $$1 in is { printf "%-28s%10s%10s\n", $$1, $$10, $$13 }'

docs:
	@scripts/install-packages docs
	@scripts/make-docs build/docs

format:
	@scripts/install-packages format
	@git ls-files --cached --others --exclude-standard '*.[ch]' '*.cu' '*.cuh' | xargs clang-format -i

install: build
	@cmake --preset release -DCMAKE_INSTALL_PREFIX='$(PREFIX)' >/dev/null
	@DESTDIR='$(DESTDIR)' cmake --install build

# the Python package, with what it is built with from its own registry
WHEEL_TOOLS := build/wheel-tools
wheel:
	@scripts/install-packages test
	@[ -x $(WHEEL_TOOLS)/bin/pip ] || { mkdir -p build && python3 -m venv $(WHEEL_TOOLS); }
	@rm -rf dist
	@$(WHEEL_TOOLS)/bin/pip wheel -q --no-deps -w dist .

test-wheel: wheel
	@tests/check-wheel dist/wac-*.whl

deb:
	@scripts/install-packages deb
	@scripts/make-deb build/deb

bundle: build
	@scripts/install-packages bundle
	@scripts/make-bundle build build/bundle
	@echo build/bundle/bin/wac

tarball:
	@mkdir -p build
	@version=$$(sed -n 's/^project(wac VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt) && \
	git archive --prefix=wac-$$version/ HEAD | xz -9 >build/wac-$$version.tar.xz && \
	echo build/wac-$$version.tar.xz

clean:
	@rm -rf build dist

# one thing at a time: each step above keeps all cores busy by itself
.NOTPARALLEL:
.PHONY: help build run bench analyse-packages count-instructions test test-build test-matrix matrix-packages \
    matrix-valgrind analyse test-device test-arm64 test-cluster test-faults test-power test-watch \
    test-reproducible test-learning coverage mutate soak fuzz fuzz-build fuzz-build-plain fuzz-long fuzz-coverage \
    docs format install wheel test-wheel deb bundle tarball clean
