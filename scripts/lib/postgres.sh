# shellcheck shell=bash
# The checkout's own Postgres: loopback only, password only, never one that already runs.

POSTGRES_MIN_VERSION=15

postgres_dir() { echo "$(place)/postgres"; }
postgres_data() { echo "$(postgres_dir)/data"; }
postgres_port() { cat "$RUN/postgres.port" 2>/dev/null; }

postgres_url() {
    printf 'postgres://loadout:%s@127.0.0.1:%s/loadout' "$(cat "$RUN/postgres.password")" "$(postgres_port)"
}

# The folders that may hold server binaries, the PATH's own first.
postgres_candidates() {
    local found
    if found=$(command -v postgres); then dirname "$found"; fi
    ls -d /usr/lib/postgresql/*/bin /usr/pgsql-*/bin /usr/libexec/postgresql*/ /usr/local/bin \
        /usr/local/pgsql/bin /usr/bin /opt/homebrew/opt/postgresql@*/bin \
        /usr/local/opt/postgresql@*/bin 2>/dev/null || true
}

# The major version of the binaries in a folder; empty where one of the three is missing.
postgres_version_in() {
    local program version
    for program in postgres initdb pg_ctl; do
        [ -x "$1/$program" ] || return 0
    done
    version=$("$1/postgres" --version 2>/dev/null) || return 0
    version=${version##*PostgreSQL) }
    printf '%s' "${version%%[!0-9]*}"
}

# The folder of the binaries to use: those which made the data, else the newest.
postgres_bin() {
    local folder version best='' best_version=0 made_by
    made_by=$(as_server cat "$(postgres_data)/PG_VERSION" 2>/dev/null || true)
    while read -r folder; do
        version=$(postgres_version_in "$folder")
        [ "${version:-0}" -ge "$POSTGRES_MIN_VERSION" ] || continue
        if [ "$version" = "$made_by" ]; then
            echo "$folder"
            return
        fi
        [ "$version" -gt "$best_version" ] || continue
        best=$folder best_version=$version
    done < <(postgres_candidates)
    [ -z "$made_by" ] || die "\`$(postgres_data)\` was made by PostgreSQL $made_by, which is gone: \`make clean\` removes it"
    [ -n "$best" ] && echo "$best"
}

# Runs SQL as the superuser. The environment of the caller must not redirect it.
postgres_psql() {
    local psql
    psql=$(postgres_bin)/psql
    [ -x "$psql" ] || psql=psql
    env -u PGHOSTADDR -u PGSERVICE -u PGOPTIONS -u PGSSLMODE -u PGPASSFILE \
        PGPASSWORD="$(cat "$RUN/postgres.password")" PGCONNECT_TIMEOUT=5 \
        "$psql" -X -w -q -At -v ON_ERROR_STOP=1 \
        -h 127.0.0.1 -p "$(postgres_port)" -U loadout "$@"
}

# Only ours knows the password, so an answer is enough.
postgres_answers() {
    [ -s "$RUN/postgres.port" ] && [ -s "$RUN/postgres.password" ] || return 1
    port_taken "$(postgres_port)" || return 1
    [ "$(postgres_psql -d postgres -c 'select 1' 2>/dev/null)" = 1 ]
}

postgres_pid() { as_server head -n 1 "$(postgres_data)/postmaster.pid" 2>/dev/null || true; }
postgres_lives() { is_process "$(postgres_pid)" "$(postgres_data)"; }

postgres_up() {
    if postgres_answers; then return; fi
    postgres_clear_leftovers
    as_server test -s "$(postgres_data)/PG_VERSION" || postgres_init
    postgres_start
    postgres_make_database
    say "Postgres runs on 127.0.0.1:$(postgres_port)"
}

# One that lives but doesn't answer is stopped; the file of one that was killed is removed, since
# its number may be another program's by now and would keep the next one from starting.
postgres_clear_leftovers() {
    if postgres_lives; then
        warn "a Postgres of this checkout runs but does not answer: stopping it"
        postgres_down
    elif [ -n "$(postgres_pid)" ]; then
        say "Postgres was not stopped properly the last time: it recovers by itself"
        as_server rm -f "$(postgres_data)/postmaster.pid"
    fi
}

# Built aside and renamed, so that an interrupted one is never taken for whole.
postgres_init() {
    local data bin locale=C
    bin=$(postgres_bin) || die "PostgreSQL $POSTGRES_MIN_VERSION or newer is missing: run \`scripts/install\`"
    data=$(postgres_data)
    say "making a database cluster in \`$data\`"
    make_server_dir postgres
    as_server rm -rf "$data.new"
    random_hex | write_private "$RUN/postgres.password"
    as_server tee "$data.password" <"$RUN/postgres.password" >/dev/null
    case $(locale -a 2>/dev/null) in *C.utf8* | *C.UTF-8*) locale=C.UTF-8 ;; esac
    as_server "$bin/initdb" -D "$data.new" -U loadout --auth=scram-sha-256 \
        --pwfile="$data.password" --encoding=UTF8 --locale="$locale" >/dev/null
    as_server rm -f "$data.password"
    postgres_settings | as_server tee -a "$data.new/postgresql.conf" >/dev/null
    as_server mv "$data.new" "$data"
}

# No Unix socket: its path has a limit of about 100 bytes, which a deep checkout exceeds.
postgres_settings() {
    cat <<'SETTINGS'

# Loadout's
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
max_connections = 200
shared_buffers = 128MB
max_wal_size = 1GB
timezone = 'UTC'
log_timezone = 'UTC'
SETTINGS
}

# A port that was free may be taken between the look and the start, and after a kill -9 the memory
# of the old one goes only with its last child: both pass at the next try.
postgres_start() {
    local bin dir port try
    bin=$(postgres_bin) || die "PostgreSQL $POSTGRES_MIN_VERSION or newer is missing: run \`scripts/install\`"
    dir=$(postgres_dir)
    for try in 1 2 3 4 5; do
        port=$(pick_port "$RUN/postgres.port")
        if as_server "$bin/pg_ctl" start -s -w -t 120 -D "$dir/data" -l "$dir/log" \
            -o "-p $port" </dev/null >/dev/null 2>&1 9>&-; then
            echo "$port" >"$RUN/postgres.port"
            return
        fi
        sleep "$try"
    done
    as_server tail -n 20 "$dir/log" >&2 || true
    die "Postgres does not start; its log is \`$dir/log\`"
}

postgres_make_database() {
    local there
    there=$(postgres_psql -d postgres -c "select 1 from pg_database where datname = 'loadout'")
    [ -n "$there" ] || postgres_psql -d postgres -c 'create database loadout'
}

postgres_down() {
    local bin data pid
    postgres_lives || return 0
    bin=$(postgres_bin) data=$(postgres_data) pid=$(postgres_pid)
    as_server "$bin/pg_ctl" stop -s -m fast -w -t 60 -D "$data" 2>/dev/null \
        || as_server "$bin/pg_ctl" stop -s -m immediate -w -t 20 -D "$data" 2>/dev/null \
        || { kill -9 "$pid" && wait_gone "$pid" 10; }
    say "Postgres is stopped"
}

# The address of another database on the server of `LOADOUT_DATABASE_URL`.
url_of() {
    local path=${LOADOUT_DATABASE_URL%%\?*} query=''
    case $LOADOUT_DATABASE_URL in *\?*) query="?${LOADOUT_DATABASE_URL#*\?}" ;; esac
    printf '%s/%s%s' "${path%/*}" "$1" "$query"
}

# psql on the database `$1`, with the arguments `$2…`.
psql_on() {
    local url=$1 bin
    shift
    bin=$(postgres_bin || true)
    if [ -x "$bin/psql" ]; then bin=$bin/psql; else bin=psql; fi
    PGOPTIONS='--client-min-messages=warning' "$bin" -X -w -q -v ON_ERROR_STOP=1 "$@" "$url"
}
