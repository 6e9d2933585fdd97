#!/bin/sh
# A Rust program is compiled from a cold cache: compiler, sources and results on one file system.
#
#   scripts/loads/compile.sh prepare DIRECTORY    copies the compiler and all sources there
#   scripts/loads/compile.sh run DIRECTORY        forgets the page cache, then compiles
#
# What is compiled is petrio-units and petrio-kernel of this repository with the crates that they depend on.
set -eu

mode=${1:?usage: compile.sh prepare|run DIRECTORY}
directory=$(realpath "${2:?usage: compile.sh prepare|run DIRECTORY}")
repository=$(realpath "$(dirname "$0")/../..")

case $mode in
prepare)
    compiler=$(rustc --print sysroot)
    mkdir -p "$directory/compiler" "$directory/sources/.cargo"
    cp -r "$compiler/bin" "$compiler/lib" "$directory/compiler/"
    git -C "$repository" archive HEAD | tar -x -C "$directory/sources"
    cd "$directory/sources"
    cargo vendor vendor 2>vendor.log > .cargo/config.toml
    sync
    ;;
run)
    sync
    echo 3 > /proc/sys/vm/drop_caches
    cd "$directory/sources"
    # A home of its own: nobody's settings apply, and what cargo notes goes to the same device.
    CARGO_HOME=$directory/home PATH=$directory/compiler/bin:$PATH RUSTC=$directory/compiler/bin/rustc \
        CARGO_TARGET_DIR=$directory/target cargo build --quiet --release --offline -p petrio-units -p petrio-kernel
    sync
    ;;
*)
    echo "compile.sh: unknown mode '$mode'; say prepare or run" >&2
    exit 2
    ;;
esac
