# The front door. `make run` and `make test` set everything up by themselves.

SCENARIO ?= examples/mail-server.toml

# rustup puts cargo here, and a fresh shell may not know it yet.
export PATH := $(PATH):$(HOME)/.cargo/bin
TARGET := $(or $(CARGO_TARGET_DIR),target)
PAGE := $(TARGET)/$(notdir $(SCENARIO:.toml=.html))
PETRIO := $(TARGET)/release/petrio

.PHONY: help run test test-all left-out bench fuzz docs

help:
	@echo "make run     predict a mail server on ext3 and one disk (SCENARIO=… for another)"
	@echo "make test    everything that continuous integration runs"
	@echo "make test-all  what takes longer, too: new random inputs and scenarios, the command without its parts, millions of mutated inputs"
	@echo "make left-out  tests of the command without the parts that can be left out of it (live, studio)"
	@echo "make docs    the documentation as a site, notebooks run (target/docs/index.html)"
	@echo "make bench   speed of the kernel, of the disk, of file systems, of thousands of parts, of clusters and of sweeps, on this machine"
	@echo "make fuzz    a million mutated inputs (INPUTS=…), every command killed 50 times by each signal (KILLS=…), and where there is a"
	@echo "             nightly compiler every fuzz target for a minute (SECONDS=…)"

run:
	@scripts/set-up.sh run
	@cargo build --release --locked --package petrio-cli
	@$(PETRIO) run $(SCENARIO) --html $(PAGE)

test:
	@scripts/set-up.sh test
	@scripts/test.sh

test-all:
	@scripts/set-up.sh test
	@scripts/test-all.sh

left-out:
	@scripts/set-up.sh run
	@cargo test --locked --package petrio-cli --no-default-features --bin petrio

docs:
	@scripts/set-up.sh test
	@scripts/python.sh docs

bench:
	@scripts/set-up.sh run
	@cargo build --release --locked --package petrio-cli
	@$(PETRIO) bench kernel
	@$(PETRIO) bench disk
	@$(PETRIO) bench fs
	@$(PETRIO) bench scale
	@$(PETRIO) bench cluster
	@$(PETRIO) bench live
	@$(PETRIO) bench sweep
	@scripts/python.sh bench
	@cargo bench --locked --workspace

fuzz:
	@scripts/set-up.sh run
	@scripts/fuzz.sh $(or $(SECONDS),60) $(or $(INPUTS),1000000) $(or $(KILLS),50)
