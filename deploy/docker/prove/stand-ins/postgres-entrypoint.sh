#!/bin/sh
# As the official image: makes the cluster in PGDATA once, then runs the command.
set -eu
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  mkdir -p "$(dirname "$PGDATA")"
  password=$(mktemp)
  printf '%s' "$POSTGRES_PASSWORD" >"$password"
  # shellcheck disable=SC2086 # several arguments
  initdb --pgdata "$PGDATA" --username postgres --auth-host scram-sha-256 --auth-local trust --pwfile "$password" $POSTGRES_INITDB_ARGS
  rm "$password"
  echo 'host all all all scram-sha-256' >>"$PGDATA/pg_hba.conf"
fi
exec "$@" -D "$PGDATA" -c listen_addresses='*' -c unix_socket_directories=/tmp
