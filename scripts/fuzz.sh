#!/bin/sh
# Runs every fuzz target for so many seconds. Needs a nightly compiler and cargo-fuzz.
set -eu
seconds=${1:-60}
cd "$(dirname "$0")/.."
if ! cargo +nightly --version >/dev/null 2>&1; then
    echo "fuzz: no nightly compiler; rustup toolchain install nightly" >&2
    exit 2
fi
if ! command -v cargo-fuzz >/dev/null 2>&1; then
    echo "fuzz: installing cargo-fuzz (once)" >&2
    cargo install --quiet --locked cargo-fuzz
fi
for target in $(cargo +nightly fuzz list); do
    printf '\n── %s\n' "$target"
    cargo +nightly fuzz run "$target" -- -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048
done
