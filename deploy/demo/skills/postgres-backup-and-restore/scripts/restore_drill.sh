#!/usr/bin/env bash
# Restore a pg_dump archive into a throw-away database, check it, time it, and drop it.
set -euo pipefail

usage() {
  cat <<'USAGE'
Usage: restore_drill.sh [--jobs N] [--checks FILE] [--min-tables N] [--keep] ARCHIVE

Restore a pg_dump archive (custom, directory or tar format) into a new database with a unique
name, run ANALYZE and the checks, print the timings, and drop the database again.

  --jobs N         parallel restore jobs (default 1; more needs custom or directory format)
  --checks FILE    SQL file to run after the restore; any error fails the drill
  --min-tables N   fail when fewer user tables than this were restored (default 1)
  --keep           keep the database, also when the drill fails
  -h, --help       show this text

The server is taken from the usual variables (PGHOST, PGPORT, PGUSER, PGPASSFILE, PGSERVICE).
Use a server that is not production; the role needs CREATEDB.
Exit status: 0 the drill passed, 1 it failed, 2 wrong use.
USAGE
}

wrong_use() { echo "restore_drill: $1" >&2; echo "Try: restore_drill.sh --help" >&2; exit 2; }
need_value() { [ $# -ge 2 ] && [ -n "$2" ] || wrong_use "$1 needs a value"; }
need_number() { case "$2" in '' | *[!0-9]*) wrong_use "$1 needs a whole number, not '$2'" ;; esac; }

jobs=1 checks='' min_tables=1 keep=no archive=''
while [ $# -gt 0 ]; do
  case "$1" in
    -h | --help) usage; exit 0 ;;
    --jobs) need_value "$@"; need_number "$1" "$2"; jobs=$2; shift 2 ;;
    --min-tables) need_value "$@"; need_number "$1" "$2"; min_tables=$2; shift 2 ;;
    --checks) need_value "$@"; checks=$2; shift 2 ;;
    --keep) keep=yes; shift ;;
    -*) wrong_use "unknown option $1" ;;
    *) [ -z "$archive" ] || wrong_use "only one archive, please"; archive=$1; shift ;;
  esac
done
[ -n "$archive" ] || wrong_use "no archive given"
[ -e "$archive" ] || wrong_use "no such file or directory: $archive"
[ "$jobs" -ge 1 ] || wrong_use "--jobs must be at least 1"
[ -z "$checks" ] || [ -r "$checks" ] || wrong_use "cannot read $checks"
for tool in psql pg_restore createdb dropdb; do
  command -v "$tool" >/dev/null || wrong_use "$tool is not installed"
done

if ! contents=$(pg_restore --list "$archive" 2>&1); then
  echo "restore_drill: not a readable pg_dump archive (plain SQL dumps are not supported): $archive" >&2
  printf '%s\n' "$contents" >&2
  exit 1
fi

database="restore_drill_$(date -u +%Y%m%d_%H%M%S)_$$"
created=no
finish() {
  status=$?
  trap - EXIT
  if [ "$created" = yes ]; then
    if [ "$keep" = yes ]; then
      echo "kept database $database"
    else
      dropdb --if-exists "$database" || { echo "restore_drill: could not drop $database" >&2; status=1; }
    fi
  fi
  if [ "$status" -eq 0 ]; then
    echo "PASSED"
  else
    echo "FAILED" >&2
    status=1
  fi
  exit "$status"
}
trap finish EXIT
trap 'exit 1' INT TERM HUP

query() { psql --no-psqlrc --quiet --tuples-only --no-align --set=ON_ERROR_STOP=1 --dbname="$database" "$@"; }

started=$(date +%s)
createdb --template=template0 "$database"
created=yes
echo "archive:  $archive"
echo "database: $database"
pg_restore --dbname="$database" --jobs="$jobs" --exit-on-error --no-owner --no-privileges "$archive"
restored=$(date +%s)
echo "restore:  $((restored - started)) s"

query --command='ANALYZE'
echo "analyze:  $(($(date +%s) - restored)) s"

tables=$(query --command='SELECT count(*) FROM pg_stat_user_tables')
size=$(query --command='SELECT pg_size_pretty(pg_database_size(current_database()))')
echo "tables:   $tables"
echo "size:     $size"
if [ "$tables" -lt "$min_tables" ]; then
  echo "restore_drill: $tables table(s), expected at least $min_tables" >&2
  exit 1
fi

if [ -n "$checks" ]; then
  query --file="$checks"
  echo "checks:   passed ($checks)"
fi
echo "total:    $(($(date +%s) - started)) s"
