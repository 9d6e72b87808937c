#!/bin/sh
# postgres.sh [OPTION...] - PostgreSQL with one database, `windlull`, and one user of that name who owns it.
#
# A cluster is made whole or not at all. The user's password is what the file says, at every start.
set -eu

password=${WINDLULL_PASSWORD_FILE:?names the file with the password of the database user}
data=/var/lib/postgresql/17

# A server that was killed leaves a file with its number. That is this shell's number in most containers, and no server.
alone() { # SQL on standard input, before anybody can connect
    PG_GRANDPARENT_PID=$$ postgres --single -j -D "$1" "$2" >/dev/null
}

if [ ! -s "$data/PG_VERSION" ]; then
    rm -rf "$data.new"
    initdb --pgdata="$data.new" --auth-local=peer --auth-host=scram-sha-256 --data-checksums --encoding=UTF8 --locale=C.UTF-8 >/dev/null
    echo "host windlull windlull all scram-sha-256" >>"$data.new/pg_hba.conf"
    echo "CREATE ROLE windlull LOGIN;" | alone "$data.new" postgres
    echo "CREATE DATABASE windlull OWNER windlull;" | alone "$data.new" postgres
    mv "$data.new" "$data"
    echo "postgres: a new cluster in $data"
fi
echo "ALTER ROLE windlull PASSWORD '$(cat "$password")';" | alone "$data" postgres
exec postgres -D "$data" -c listen_addresses='*' -c unix_socket_directories=/tmp "$@"
