# shellcheck shell=bash
# Who uses the checkout's servers: the first one in starts them, the last one out stops them.

# shellcheck source=scripts/lib/say.sh
. "$(dirname "${BASH_SOURCE[0]}")/say.sh"
# shellcheck source=scripts/lib/processes.sh
. "$ROOT/scripts/lib/processes.sh"
# shellcheck source=scripts/lib/lock.sh
. "$ROOT/scripts/lib/lock.sh"
# shellcheck source=scripts/lib/ports.sh
. "$ROOT/scripts/lib/ports.sh"
# shellcheck source=scripts/lib/place.sh
. "$ROOT/scripts/lib/place.sh"
# shellcheck source=scripts/lib/postgres.sh
. "$ROOT/scripts/lib/postgres.sh"
# shellcheck source=scripts/lib/redis.sh
. "$ROOT/scripts/lib/redis.sh"

# Starts what is not given and exports both addresses; `$1` is the process that uses them, or
# `hand` for until `services down`.
services_hold() {
    forget_own_urls
    with_lock start_and_note "$1"
    # shellcheck disable=SC1091
    . "$RUN/env.$1"
    rm -f "$RUN/env.$1"
}

# Stops the servers if `$1` was the last to use them.
services_release() { with_lock release_and_stop "$1"; }

services_down() { with_lock stop_all; }

# A shell that has read `.run/env` must not make us take our own servers for someone else's.
forget_own_urls() {
    local own
    own=$(cat "$RUN/own-urls" 2>/dev/null || true)
    case $own in *"${LOADOUT_DATABASE_URL:-none}"$'\n'* | *"${LOADOUT_DATABASE_URL:-none}") unset LOADOUT_DATABASE_URL ;; esac
    case $own in *"${LOADOUT_REDIS_URL:-none}"$'\n'* | *"${LOADOUT_REDIS_URL:-none}") unset LOADOUT_REDIS_URL ;; esac
}

start_and_note() {
    local database_url=${LOADOUT_DATABASE_URL:-} redis_url=${LOADOUT_REDIS_URL:-}
    choose_place
    mkdir -p "$RUN/holders"
    started_at "${1/hand/$$}" >"$RUN/holders/$1"
    if [ -n "$database_url" ]; then
        say "using the Postgres of LOADOUT_DATABASE_URL"
    else
        postgres_up
        database_url=$(postgres_url)
    fi
    if [ -n "$redis_url" ]; then
        say "using the Redis of LOADOUT_REDIS_URL"
    else
        redis_up
        redis_url=$(redis_url)
    fi
    note_urls "$1" "$database_url" "$redis_url"
}

# `.run/env` is for people: another script's given servers are not written over ours.
note_urls() {
    printf 'export LOADOUT_DATABASE_URL=%q\nexport LOADOUT_REDIS_URL=%q\n' "$2" "$3" \
        | write_private "$RUN/env.$1"
    if [ "$1" = hand ] || [ -z "${LOADOUT_DATABASE_URL:-}${LOADOUT_REDIS_URL:-}" ]; then
        cp -p "$RUN/env.$1" "$RUN/env"
    fi
    {
        [ ! -s "$RUN/postgres.port" ] || postgres_url
        echo
        [ ! -s "$RUN/redis.port" ] || redis_url
    } | write_private "$RUN/own-urls"
}

# The users that are still there; those that died without a word are forgotten.
live_holders() {
    local file pid
    for file in "$RUN"/holders/*; do
        [ -e "$file" ] || continue
        pid=${file##*/}
        if [ "$pid" = hand ] || [ "$(started_at "$pid")" = "$(cat "$file")" ]; then
            echo "$pid"
        else
            rm -f "$file"
        fi
    done
}

release_and_stop() {
    rm -f "$RUN/holders/$1"
    [ -n "$(live_holders)" ] || stop_servers
}

stop_all() {
    stop_servers
    rm -rf "$RUN/holders"
}

stop_servers() {
    postgres_down
    redis_down
    rm -f "$RUN/env"
}
