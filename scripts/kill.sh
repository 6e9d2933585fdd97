#!/bin/sh
# Kills every command so many times by each of SIGKILL, SIGTERM and SIGINT, and looks whether anything is left after the next start.
# Prints a table. As root, or the commands that need root are skipped, by name.
set -eu
cd "$(dirname "$0")/.."
PETRIO_KILLS=${1:-50} cargo test --locked --workspace --test petrio killed::a_long_round -- --ignored --nocapture
