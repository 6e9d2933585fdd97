#!/bin/sh
# A database is filled, serves transactions from a cold cache, and answers one report query.
#
#   scripts/loads/database.sh DIRECTORY
#
# DIRECTORY is on the file system to be recorded. PostgreSQL and its pgbench must be installed
# (Debian: apt-get install postgresql). The TPC-B-like transactions of pgbench update one
# account, one teller, one branch and append to a history; every commit waits for the log.
set -eu

directory=${1:?usage: database.sh DIRECTORY}
scale=${SCALE:-25}                 # 100,000 accounts a unit, about 15 MB
clients=${CLIENTS:-4}
transactions=${TRANSACTIONS:-1500} # of each client
lookups=${LOOKUPS:-500}            # of each client, read-only

as_database_user() { if [ "$(id -u)" = 0 ]; then setpriv --reuid=postgres --regid=postgres --clear-groups "$@"; else "$@"; fi; }
programs=$(pg_config --bindir)
data=$directory/database
socket=$(mktemp -d)
install -d -m 700 "$data"
if [ "$(id -u)" = 0 ]; then chown postgres: "$data" "$socket"; chmod 755 "$directory"; fi
export PGHOST="$socket" PGDATABASE=postgres

stop() { as_database_user "$programs/pg_ctl" -D "$data" -s -m fast stop || true; rm -rf "$socket"; }
cold() {
    as_database_user "$programs/pg_ctl" -D "$data" -s -m fast stop
    sync
    echo 3 > /proc/sys/vm/drop_caches
    start
}
start() { as_database_user "$programs/pg_ctl" -D "$data" -s -w -l "$data/log" -o "-k $socket -c listen_addresses=" start; }

as_database_user "$programs/initdb" -D "$data" -A trust --no-sync --no-instructions >/dev/null
cat >> "$data/postgresql.conf" <<SETTINGS
shared_buffers = 32MB
max_wal_size = 256MB
checkpoint_timeout = 30s
bgwriter_delay = 50ms
SETTINGS
trap stop EXIT
start
as_database_user "$programs/pgbench" -i -q -s "$scale"
cold
as_database_user "$programs/pgbench" -n -c "$clients" -t "$transactions" --random-seed=1
cold
as_database_user "$programs/pgbench" -n -S -c "$clients" -t "$lookups" --random-seed=2
cold
as_database_user "$programs/psql" -q -c 'select bid, count(*), avg(abalance) from pgbench_accounts group by bid order by 2 limit 3'
