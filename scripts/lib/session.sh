# shellcheck shell=bash
# A script's stay with the servers: it starts them if nobody has, and stops them if nobody else
# stays, however it ends.

# shellcheck source=scripts/lib/services.sh
. "$(dirname "${BASH_SOURCE[0]}")/services.sh"

CHILD=
CHILD_SIGNAL=INT
SIGNALS=0

# Installs what is missing, starts the servers and exports their addresses.
session_begin() {
    "$ROOT/scripts/install"
    session_traps
    trap session_end EXIT
    services_hold $$
}

session_model() {
    LOADOUT_MODEL_DIR=$("$ROOT/scripts/model")
    export LOADOUT_MODEL_DIR
}

session_traps() {
    trap 'session_signal 130' INT
    trap 'session_signal 143' TERM HUP
}

# A second Ctrl-C must not interrupt the stopping.
session_end() {
    trap '' INT TERM HUP
    services_release $$
}

# Passes a signal on and lets the child end by itself; the third one ends it at once.
session_signal() {
    SIGNALS=$((SIGNALS + 1))
    [ -n "$CHILD" ] || exit "$1"
    [ "$SIGNALS" -lt 3 ] || CHILD_SIGNAL=KILL
    kill -s "$CHILD_SIGNAL" -- "-$CHILD" 2>/dev/null || true
}

# Runs a command in a process group of its own, so that it gets each signal once, from us, and gets
# it also where only this script was told to stop. `$1` is the signal that ends it.
supervise() {
    local status
    CHILD_SIGNAL=$1
    shift
    set -m
    "$@" </dev/null &
    CHILD=$!
    set +m
    # `wait` returns early when a signal comes.
    while :; do
        status=0
        wait "$CHILD" || status=$?
        kill -0 "$CHILD" 2>/dev/null || break
    done
    CHILD=
    return "$status"
}

# The same, for a step without which it makes no sense to go on.
step() {
    supervise INT "$@" || exit $?
    [ "$SIGNALS" -eq 0 ] || exit 130
}

build_standalone() {
    say "building (the first time takes some minutes)"
    step env -u DATABASE_URL SQLX_OFFLINE=true \
        cargo build --release --locked -p standalone
}
