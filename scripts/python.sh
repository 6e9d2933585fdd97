#!/bin/sh
# petrio's Python package: its wheel, built with what the workspace's tests were built of where that can be, and its tests in a clean
# virtual environment.
#
#   scripts/python.sh test       the wheel and its tests
#   scripts/python.sh clusters   besides, sweeps on local clusters of Dask and Ray and on two ranks of MPI (longer)
#   scripts/python.sh docs       the documentation as a site, notebooks run: target/docs/index.html
#   scripts/python.sh bench      what a case costs on each of them
set -eu
purpose=${1:?usage: python.sh test|clusters|docs|bench}
cd "$(dirname "$0")/.."
target=${CARGO_TARGET_DIR:-target}
mkdir -p "$target"
target=$(cd "$target" && pwd)
tools=$target/tools
environment=$target/python

# Libraries that take petrio's tables, plots and searches; notebooks and their kernel.
libraries='pytest>=8 numpy pandas>=2,<4 pyarrow>=14 polars>=1 duckdb>=1 matplotlib>=3.6 optuna>=5 gymnasium>=1 nbclient>=0.10 nbformat>=5 ipykernel>=6'
pages='sphinx>=7 myst-nb>=1 furo'
clusters='dask>=2024 distributed>=2024 ray>=2.9 mpi4py>=4'

if ! [ -x "$tools/maturin/bin/maturin" ]; then
    python3 -m venv "$tools/maturin"
    "$tools/maturin/bin/python3" -m pip install --quiet --disable-pip-version-check 'maturin>=1.10,<2'
fi
profile=dev
if [ "$purpose" = bench ]; then profile=release; fi
rm -rf "$target/wheels"
"$tools/maturin/bin/maturin" build --quiet --locked --profile "$profile" --interpreter python3 --out "$target/wheels"

python3 -m venv --clear "$environment"
python=$environment/bin/python3
install() { "$python" -m pip install --quiet --disable-pip-version-check --only-binary :all: "$@"; }
# shellcheck disable=SC2086
install $libraries
install --no-deps "$target"/wheels/petrio-*.whl

here=$PWD
if [ -x "$target/debug/petrio" ]; then export PETRIO="$target/debug/petrio"; fi
case $purpose in
    test)
        (cd "$target" && "$python" "$here/scripts/python_parts.py" check)
        (cd "$target" && "$python" -m pytest --quiet -p no:cacheprovider "$here/python/tests" -m "not clusters") ;;
    clusters)
        # shellcheck disable=SC2086
        install $clusters
        (cd "$target" && "$python" -m pytest --quiet -p no:cacheprovider "$here/python/tests" -m clusters) ;;
    docs)
        # shellcheck disable=SC2086
        install $pages
        "$python" -m sphinx -q -W --keep-going -b html docs "$target/docs"
        echo "the site: $target/docs/index.html" ;;
    bench)
        # shellcheck disable=SC2086
        install $clusters psutil
        "$python" "$here/python/bench.py"
        "$python" "$here/python/bench_search.py" ;;
    *) echo "usage: python.sh test|clusters|docs|bench" >&2; exit 2 ;;
esac
