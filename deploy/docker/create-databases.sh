#!/bin/sh
# One database and one role per service; no role may enter another's database. Safe to repeat.
# PGHOST, PGUSER, PGPASSWORD: the administrator. DATABASES: lines of "<name> <password>".
set -eu

echo "$DATABASES" | while read -r name password; do
  [ -n "$name" ] || continue
  psql --dbname postgres --quiet --set ON_ERROR_STOP=1 --set name="$name" --set password="$password" <<'SQL'
SELECT format('CREATE ROLE %I LOGIN', :'name') WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = :'name') \gexec
SELECT format('ALTER ROLE %I PASSWORD %L', :'name', :'password') \gexec
SELECT format('CREATE DATABASE %I OWNER %I', :'name', :'name')
 WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = :'name') \gexec
SELECT format('REVOKE ALL ON DATABASE %I FROM PUBLIC', :'name') \gexec
SQL
done
psql --dbname postgres --quiet --command 'REVOKE CONNECT ON DATABASE postgres FROM PUBLIC'
