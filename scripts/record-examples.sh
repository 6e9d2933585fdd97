#!/bin/sh
# Records the traces in examples/traces/ anew, each on an empty ext4 file system of its own:
# a file of 8 GiB behind a loop device with direct I/O, so that addresses fit on a drive of
# 9 GB and nothing else uses the device.
#
#   sudo scripts/record-examples.sh SCRATCH [database|compile|shop …]
#
# SCRATCH is a directory with 9 GB to spare on the disk to be recorded. Needs root, tracefs, e2fsprogs and petrio (built by
# `make run`, or named by PETRIO); PostgreSQL for the database, cargo and git for the compile, Python 3 for the shop.
set -eu

scratch=$(realpath "${1:?usage: record-examples.sh SCRATCH [database|compile|shop …]}")
shift
[ $# -gt 0 ] || set -- database compile shop
scripts=$(realpath "$(dirname "$0")")
traces=$scripts/../examples/traces
petrio=$(realpath "${PETRIO:-$scripts/../target/release/petrio}")
[ -x "$petrio" ] || { echo "record-examples: $petrio is missing: run make run, or name another in PETRIO" >&2; exit 2; }
file=$scratch/petrio-example.img
mount=$scratch/petrio-example
loop=

clean_up() {
    mountpoint -q "$mount" && umount "$mount"
    [ -z "$loop" ] || losetup -d "$loop"
    rm -f "$file" "$scratch/shop.parquet"
    [ ! -d "$mount" ] || rmdir "$mount"
}
trap clean_up EXIT
trap 'exit 130' INT TERM HUP

mkdir -p "$mount"
# Written out, not sparse: the file's own allocation must not show in the latencies.
dd if=/dev/zero of="$file" bs=4M count=2048 oflag=direct status=none
loop=$(losetup --direct-io=on --show -f "$file")
echo mq-deadline > "/sys/block/${loop#/dev/}/queue/scheduler"

record() { "$petrio" trace capture --device "$loop" --force "$@"; }

for load in "$@"; do
    mkfs.ext4 -q -F -E lazy_itable_init=0,lazy_journal_init=0 "$loop"
    mount "$loop" "$mount"
    case $load in
    database)
        record --out "$traces/database.csv.xz" --title "PostgreSQL: bulk load, TPC-B-like transactions, lookups and a report query, each from a cold cache" \
            -- "$scripts/loads/database.sh" "$mount"
        ;;
    compile)
        "$scripts/loads/compile.sh" prepare "$mount"
        record --out "$traces/compile.csv.xz" --title "A Rust program and its dependencies compiled from a cold cache" \
            -- "$scripts/loads/compile.sh" run "$mount"
        ;;
    shop)
        # File requests: what the program asks the file system for.
        mkdir "$mount/data"
        cp "$scripts/loads/shop.py" "$mount"
        (cd "$mount" && python3 shop.py data/shop.db &&
            "$petrio" trace capture --full --out "$scratch/shop.parquet" -- python3 shop.py data/shop.db)
        "$petrio" trace filter --force --path "$mount/data/**" --to-format requests "$scratch/shop.parquet" \
            "$traces/../requests/shop.csv.xz"
        ;;
    *)
        echo "record-examples: no load named '$load'; there are: database, compile, shop" >&2
        exit 2
        ;;
    esac
    umount "$mount"
done
