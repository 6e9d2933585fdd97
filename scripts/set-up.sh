#!/bin/sh
# Looks for what building petrio needs, installs what is missing where that is possible, and
# says what to do where it isn't. Touches nothing that exists.
#
#   scripts/set-up.sh run     a compiler for Rust and one for C
#   scripts/set-up.sh test    also formatter, linter, a C++ compiler, git, Python with pandas, cargo-deny, and for the studio's pages
#                             Node's packages and a browser, where they can be had
set -eu
purpose=${1:?usage: set-up.sh run|test}
cd "$(dirname "$0")/.."

cargo_deny_version=0.20.2
tools=${CARGO_TARGET_DIR:-target}/tools

say() { echo "set-up: $*" >&2; }
give_up() { say "$1"; echo "  help: $2" >&2; exit 2; }
has() { command -v "$1" >/dev/null 2>&1; }

# need PROGRAM PACKAGE…: installs Debian's packages if the program isn't there.
need() {
    program=$1
    shift
    if has "$program"; then return; fi
    if ! has apt-get; then give_up "$program is missing" "install what your system calls $*"; fi
    as_root=
    if [ "$(id -u)" != 0 ]; then
        if has sudo && sudo -n true 2>/dev/null; then
            as_root=sudo
        else
            give_up "$program is missing" "as root: apt-get install $*"
        fi
    fi
    say "installing $* for $program"
    if ! $as_root apt-get install -y -qq --no-install-recommends "$@" >/dev/null 2>&1; then
        $as_root apt-get update -qq >/dev/null 2>&1 || true
        $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null ||
            give_up "$* could not be installed" "as root: apt-get install $*"
    fi
}

# Whether version $1 is at least version $2.
at_least() { [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]; }

if ! has cargo; then give_up "cargo is missing" "install Rust as https://rustup.rs says, then open a new shell"; fi
wanted=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
found=$(rustc --version | cut -d ' ' -f 2)
at_least "$found" "$wanted" || give_up "Rust $found is too old; petrio needs $wanted or later" "rustup update stable"

# zstd and xz come as C source and are built in.
need cc gcc libc6-dev
if [ "$purpose" = run ]; then exit 0; fi

need c++ g++ libc6-dev
need git git ca-certificates
need python3 python3-minimal
# Environments of petrio's own need pip, which Debian packs apart.
if ! python3 -c 'import ensurepip, venv' 2>/dev/null; then
    (need python3-venv-and-pip python3-venv python3-pip) >/dev/null 2>&1 || true
    python3 -c 'import ensurepip, venv' 2>/dev/null || say "python3 has no venv; petrio's Python package won't be tried out"
fi
for component in rustfmt clippy; do
    tool=cargo-$component
    if [ "$component" = rustfmt ]; then tool=cargo-fmt; fi
    if has "$tool" && cargo "${tool#cargo-}" --version >/dev/null 2>&1; then continue; fi
    has rustup || give_up "$tool is missing" "install $component of your Rust"
    say "installing $component"
    rustup component add "$component" >/dev/null 2>&1 || give_up "$component could not be installed" "rustup component add $component"
done

# RAID levels are held beside btrfs's where the kernel has it and somebody may mount it; elsewhere that test says that it was skipped.
if [ "$(id -u)" = 0 ] && grep -qw btrfs /proc/filesystems 2>/dev/null; then
    (need mkfs.btrfs btrfs-progs) || say "there is no mkfs.btrfs; RAID levels won't be held beside those of btrfs"
fi

# Built without optimisation: it runs for a second and compiles for one minute instead of five.
if ! has cargo-deny && ! [ -x "$tools/bin/cargo-deny" ]; then
    say "building cargo-deny $cargo_deny_version (once)"
    if ! CARGO_TARGET_DIR=$tools/build CARGO_PROFILE_DEV_DEBUG=false CARGO_PROFILE_DEV_CODEGEN_UNITS=1 cargo install --quiet --locked --debug --no-default-features \
        --root "$tools" --version "$cargo_deny_version" cargo-deny; then
        say "cargo-deny could not be built; licences will be reported as not checked"
    fi
    rm -rf "$tools/build"
fi

# The forms of reports are read with pandas, in an environment of petrio's own; where it can't be had, the tests say that they were
# skipped.
if ! python3 -c 'import pandas, pyarrow' 2>/dev/null && ! "$tools/python/bin/python3" -c 'import pandas, pyarrow' 2>/dev/null; then
    say "installing pandas, to read reports with (once)"
    if ! { python3 -m venv "$tools/python" &&
        "$tools/python/bin/python3" -m pip install --quiet --disable-pip-version-check --only-binary :all: \
            'pandas>=2,<4' 'pyarrow>=14'; } >/dev/null 2>&1; then
        rm -rf "$tools/python"
        say "it could not be installed; reports won't be read with it"
    fi
fi

# The studio's pages are built and tried out where Node and a browser are; elsewhere the tests say that they were skipped.
if has node && has npm; then
    if ! has chromium && ! has chromium-browser; then
        # In a subshell: what can't be installed here ends that, not this.
        (need chromium chromium) || say "there is no chromium; the studio won't be tried out in a browser"
    fi
    if ! [ -d web/node_modules ] || [ web/package-lock.json -nt web/node_modules ]; then
        say "installing the packages that the studio's pages are built with"
        if (cd web && npm ci --silent >&2); then
            touch web/node_modules
        else
            rm -rf web/node_modules
            say "they could not be installed; the studio's pages won't be rebuilt"
        fi
    fi
else
    say "there is no node; the studio's pages won't be rebuilt, nor tried out in a browser"
fi
