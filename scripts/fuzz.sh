#!/bin/sh
# Tries petrio with hostile inputs: mutated files for every reader and every command, commands that are killed, and, where there is a
# nightly compiler, every fuzz target for so many seconds.
#
#   scripts/fuzz.sh [SECONDS] [INPUTS] [KILLS]
set -eu
seconds=${1:-60}
inputs=${2:-1000000}
kills=${3:-50}
cd "$(dirname "$0")/.."
target=${CARGO_TARGET_DIR:-target}
failed=0
cargo build --release --locked --package petrio-cli --package petrio-hostile

printf '\n── %s mutated inputs for the readers\n' "$inputs"
"$target/release/petrio-hostile" readers --inputs "$inputs" || failed=1
printf '\n── %s commands with mutated files\n' "$((inputs / 100))"
"$target/release/petrio-hostile" commands --inputs "$((inputs / 100))" --petrio "$target/release/petrio" || failed=1

printf '\n── every command killed %s times by each signal\n' "$kills"
scripts/kill.sh "$kills" || failed=1

if ! cargo +nightly --version >/dev/null 2>&1; then
    echo "fuzz: the fuzz targets were left out: no nightly compiler; rustup toolchain install nightly" >&2
    exit "$failed"
fi
if ! command -v cargo-fuzz >/dev/null 2>&1; then
    echo "fuzz: installing cargo-fuzz (once)" >&2
    cargo install --quiet --locked cargo-fuzz
fi
for name in $(cargo +nightly fuzz list); do
    printf '\n── %s\n' "$name"
    mkdir -p "fuzz/corpus/$name"
    cargo +nightly fuzz run "$name" "fuzz/corpus/$name" fuzz/seeds -- -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 || failed=1
done
exit "$failed"
