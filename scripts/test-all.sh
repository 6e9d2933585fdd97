#!/bin/sh
# What takes longer than continuous integration may: everything that it runs with new random inputs, the whole matrix of parts and
# workloads and thousands of random scenarios, the command without the parts that can be left out, and millions of mutated inputs.
# Ends with what failed.
set -eu
cd "$(dirname "$0")/.."
failed=

part() {
    name=$1
    shift
    printf '\n══ %s\n' "$name"
    "$@" || failed="$failed
  $name"
}

part "make test, with new inputs of the properties and the tests that wait long" \
    env PETRIO_LONG_TESTS=1 PROPTEST_RNG_SEED="${PROPTEST_RNG_SEED:-new}" scripts/test.sh
part "all that holds blocks, drives, mounts, schedulers and workloads together; random scenarios, and what is advised of them and of the examples" \
    env PETRIO_FULL_MATRIX=1 PETRIO_RANDOM_SCENARIOS="${SCENARIOS:-2000}" PETRIO_RANDOM_ADVICE="${ADVICE:-500}" \
    PROPTEST_RNG_SEED="$(date +%s)" \
    cargo test --locked --package petrio-scenario --test scenario matrix:: random_scenarios:: what_ifs::
part "the command without what can be left out" \
    cargo test --locked --package petrio-cli --no-default-features --bin petrio
data=${PETRIO_DATA:-../shared/data}
part "petrio from Python on local clusters: Dask, Ray, two ranks of MPI" scripts/python.sh clusters
part "the documentation as a site, notebooks run" scripts/python.sh docs
part "figures of the READMEs under validation/ are what petrio prints" sh -c '
    cargo build --quiet --release --locked --package petrio-cli &&
    if [ -d "$1" ]; then scripts/readme-figures.py --data "$1"; else scripts/readme-figures.py; fi' sh "$data"
part "fuzz targets compile" cargo check --quiet --manifest-path fuzz/Cargo.toml
part "mutated inputs, kills, fuzz targets" scripts/fuzz.sh "${SECONDS_A_TARGET:-20}" "${INPUTS:-1000000}" "${KILLS:-10}"

if [ -n "$failed" ]; then
    printf '\nfailed:%s\n' "$failed"
    exit 1
fi
printf '\nall parts passed\n'
