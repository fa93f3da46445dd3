# shellcheck shell=bash
# Which process is which: a number alone may have passed to another program since.

# When a process started, in whatever unit the system has; empty for a dead one.
started_at() {
    local stat
    if [ -d /proc/self ]; then
        { read -r stat <"/proc/$1/stat"; } 2>/dev/null || return 0
        # The name in parentheses may hold blanks; the start time is the 20th field behind it.
        # shellcheck disable=SC2086
        set -- ${stat##*) }
        [ "$1" = Z ] || printf '%s' "${20}"
    else
        ps -o lstart= -p "$1" 2>/dev/null | tr -s ' ' || true
    fi
}

command_of() {
    if [ -d /proc/self ]; then
        { tr '\0' ' ' <"/proc/$1/cmdline"; } 2>/dev/null || true
    else
        ps -o command= -p "$1" 2>/dev/null || true
    fi
}

# Whether process $1 lives and its command line holds $2.
is_process() {
    [ -n "$1" ] && case $(command_of "$1") in *"$2"*) true ;; *) false ;; esac
}

# Waits until process $1 is gone, $2 seconds at most.
wait_gone() {
    local tries=$(($2 * 10))
    while [ -n "$(started_at "$1")" ]; do
        tries=$((tries - 1))
        [ "$tries" -gt 0 ] || return 1
        sleep 0.1
    done
}
