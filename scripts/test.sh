#!/bin/sh
# Everything that continuous integration runs. All steps run even if one fails; the summary at
# the end names the steps, their times, the tests that were skipped and why.
set -eu
cd "$(dirname "$0")/.."
target=${CARGO_TARGET_DIR:-target}
# The same inputs of the properties each time, so that what is green stays so; `make test-all` takes new ones.
if [ "${PROPTEST_RNG_SEED:=1}" = new ]; then PROPTEST_RNG_SEED=$(date +%s); fi
export PROPTEST_RNG_SEED
# Everything is built once here: what incremental builds keep would only fill the disk, and nobody looks at lines in a debugger. A crate
# in one part is compiled in four fifths of the time that it takes in many, and crates are enough for all processors.
export CARGO_INCREMENTAL=0 CARGO_PROFILE_DEV_DEBUG=false CARGO_PROFILE_TEST_DEBUG=false
export CARGO_PROFILE_DEV_CODEGEN_UNITS=1 CARGO_PROFILE_TEST_CODEGEN_UNITS=1 CARGO_PROFILE_DEV_BUILD_OVERRIDE_CODEGEN_UNITS=1
export PATH="$PATH:$PWD/$target/tools/bin"
mkdir -p "$target"
python=$(cd "$target" && pwd)/tools/python/bin/python3
if [ -x "$python" ]; then export PETRIO_PYTHON="$python"; fi
log=$target/test.log
summary=$target/test-summary.txt
: > "$summary"
failed=0

step() {
    name=$1
    shift
    printf '\n── %s\n' "$name"
    began=$(date +%s)
    if "$@"; then result=ok; else result=FAILED failed=$((failed + 1)); fi
    printf '%-8s %5s s  %s\n' "$result" "$(($(date +%s) - began))" "$name" >> "$summary"
}

# As a step, while the steps after it run: what waits more than it works, or works on one processor. `together` shows what it said, and how
# it ended.
beside() {
    beside_name=$1
    shift
    beside_log=$target/beside.log
    began_beside=$(date +%s)
    ("$@" > "$beside_log" 2>&1 && status=0 || status=$?; date +%s >> "$beside_log"; exit "$status") &
    beside_running=$!
}
together() {
    if wait "$beside_running"; then result=ok; else result=FAILED failed=$((failed + 1)); fi
    printf '\n── %s\n' "$beside_name"
    sed '$d' "$beside_log"
    printf '%-8s %5s s  %s\n' "$result" "$(($(tail -n 1 "$beside_log") - began_beside))" "$beside_name, beside those before" >> "$summary"
}

not_checked() { printf '%-8s %7s  %s\n' "skipped" "" "$1" >> "$summary"; }

# The exit status of cargo, which ends where a test hangs (the log tells which); its output is kept whole, and shown but for the names
# and the words of tests that passed. Through a file: what a test left running would keep a pipe open.
tests() {
    : > "$log"
    timeout --kill-after=10 3000 cargo test --locked --workspace --no-fail-fast -- --show-output > "$log" 2>&1 &
    running=$!
    tail --pid="$running" -n +1 -f "$log" | awk '
        /^successes:$/ { passed = 1 }
        /^failures:$/ || /^test result:/ { passed = 0 }
        passed || /^test .* \.\.\. ok$/ || /^ +(Compiling|Downloaded|Downloading) / || /^$/ { next }
        { print; fflush() }'
    wait "$running"
}

advisories() {
    # A new advisory must not turn an old commit red, so this only tells.
    if timeout 60 cargo deny fetch db >/dev/null 2>&1; then
        cargo deny --offline --color never check advisories || echo "advisories to look at: see above"
    else
        echo "the database of advisories can't be reached; not checked"
    fi
}

# The pages that are in the binary are what web/ says, byte for byte.
pages_are_built() {
    built=$(mktemp -d)
    (cd web && npx vite build --logLevel warn --emptyOutDir --outDir "$built/studio" &&
        npx vite build --config vite.figure.config.ts --logLevel warn --emptyOutDir --outDir "$built/page" &&
        node scripts/finish.mjs "$built/studio" "$built/page") &&
        diff -r "$built/studio" crates/studio/assets && diff -r "$built/page" crates/page/assets
    status=$?
    rm -rf "$built"
    [ "$status" = 0 ] || echo "help: cd web && npm run assets, and commit crates/studio/assets and crates/page/assets"
    return "$status"
}

# With the binary that the workspace's tests were run with: one built for itself would have other features, and most crates
# be compiled again.
pages_in_a_browser() {
    [ -x "$target/debug/petrio" ] || { echo "there is no binary: the tests were not built"; return 1; }
    binary=$(cd "$target" && pwd)/debug/petrio
    (cd web && PETRIO=$binary PETRIO_PICTURES=${binary%/debug/petrio}/studio-pictures timeout --kill-after=10 900 npm run --silent e2e)
}

# Its wheel and its tests, with Python's libraries that take its tables.
python_package() { scripts/python.sh test; }

step "formatting" cargo fmt --all --check
step "lints" cargo clippy --locked --workspace --all-targets --quiet -- -D warnings
step "tests of the workspace, with those in the documentation" tests
beside "documentation builds without warnings" env RUSTDOCFLAGS="-D warnings" cargo doc --locked --workspace --no-deps --quiet
if command -v cargo-deny >/dev/null 2>&1; then
    step "licences, bans and sources of the dependencies" cargo deny --locked --color never check licenses bans sources
    step "advisories (told, not enforced)" advisories
else
    not_checked "licences, bans and sources of the dependencies: cargo-deny could not be installed"
fi
if [ -d web/node_modules ]; then
    step "the studio's pages: types" sh -c 'cd web && npm run --silent check'
    step "the studio's pages are what web/ builds" pages_are_built
    if command -v chromium >/dev/null 2>&1 || command -v chromium-browser >/dev/null 2>&1; then
        step "the studio in a browser" pages_in_a_browser
    else
        not_checked "the studio in a browser: there is no chromium"
    fi
else
    not_checked "the studio's pages: node's packages are not there (scripts/set-up.sh test)"
fi
together
if python3 -m venv --help >/dev/null 2>&1; then
    step "petrio from Python: the wheel and its tests in a clean environment" python_package
else
    not_checked "petrio from Python: python3 has no venv (scripts/set-up.sh test)"
fi
# Here too, with the binary that is there: another one, optimised, takes longer to build than all tests take.
step "the front door" env PETRIO="$target/debug/petrio" scripts/front-door.sh

printf '\n── summary\n'
if [ -f "$log" ]; then
    grep -h '^skipped: ' "$log" | sort -u || true
    awk '/^test result:/ { passed += $4; failed += $6; ignored += $8; runners++ }
         END { printf "%d test binaries: %d passed, %d failed, %d ignored\n", runners, passed, failed, ignored }' "$log"
    grep -hE '^test .* \.\.\. FAILED$|^error: test failed' "$log" || true
fi
cat "$summary"
echo "inputs of the properties by seed $PROPTEST_RNG_SEED (PROPTEST_RNG_SEED=$PROPTEST_RNG_SEED make test takes the same)"
if [ "$failed" != 0 ]; then
    echo "$failed of the steps failed"
    exit 1
fi
