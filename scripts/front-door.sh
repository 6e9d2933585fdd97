#!/bin/sh
# What a newcomer meets first, tried as a newcomer would: the example's report and page, the
# same again, and refusals of bad input. With the binary that PETRIO names, or else with the one of `make run`.
set -eu
cd "$(dirname "$0")/.."
target=${CARGO_TARGET_DIR:-target}
scenario=examples/mail-server.toml
if [ -z "${PETRIO:-}" ]; then
    cargo build --release --locked --quiet --package petrio-cli
    PETRIO=$target/release/petrio
fi
case $PETRIO in /*) petrio=$PETRIO ;; *) petrio=$PWD/$PETRIO ;; esac
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

wrong() { echo "front door: $*" >&2; exit 1; }

"$petrio" run "$scenario" --html "$scratch/mail-server.html" --json "$scratch/first.json" > "$scratch/report.txt"
cat "$scratch/report.txt"
for word in throughput latency utilisation bottleneck; do
    grep -q "$word" "$scratch/report.txt" || wrong "the report doesn't say anything of $word"
done
python3 -B scripts/readme_report.py check "$scratch/report.txt" || wrong "the README is out of date"

head -c 15 "$scratch/mail-server.html" | grep -qi '<!doctype html>' || wrong "the page is no HTML"
if grep -Eo '(src|href)="(https?:)?//[^"]*"' "$scratch/mail-server.html"; then wrong "the page loads something from elsewhere"; fi

RAYON_NUM_THREADS=1 "$petrio" run "$scenario" --json "$scratch/second.json" > /dev/null
cmp "$scratch/first.json" "$scratch/second.json" || wrong "the same scenario and seed gave another report"

for example in examples/*.toml; do
    "$petrio" check "$example" > /dev/null || wrong "$example is not accepted"
done

# The guide's scenarios are some, too.
ln -s "$PWD/examples/traces" "$scratch/traces"
awk -v to="$scratch/guide-" '/^```toml/ { inside = 1; number += 1; next } /^```/ { inside = 0 } inside { print > (to number ".toml") }' \
    docs/guide.md
for page in "$scratch"/guide-*.toml; do
    "$petrio" check "$page" > /dev/null || wrong "a scenario in docs/guide.md is not accepted: $(head -n 1 "$page")"
done

# refused NAME: petrio must say no with exit code 2, name the file, and leave no page behind.
refused() {
    name=$1
    shift
    code=0
    "$petrio" run "$@" --html "$scratch/none.html" > /dev/null 2> "$scratch/refusal.txt" || code=$?
    [ "$code" = 2 ] || wrong "$name: exit code $code instead of 2"
    grep -q "$(basename "$1")" "$scratch/refusal.txt" || wrong "$name: the refusal doesn't name the file"
    [ ! -e "$scratch/none.html" ] || wrong "$name: something was written all the same"
}
{ echo 'no_such_key = 1'; cat "$scenario"; } > "$scratch/unknown-key.toml"
refused "an unknown key" "$scratch/unknown-key.toml"
refused "a missing file" "$scratch/absent.toml"
head -c 2000 "$petrio" > "$scratch/garbage.toml"
refused "binary garbage" "$scratch/garbage.toml"
echo "the front door is open"
