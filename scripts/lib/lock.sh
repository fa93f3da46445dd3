# shellcheck shell=bash
# One script at a time starts or stops the servers of a checkout.

# Runs a function while holding the lock. Servers are started with descriptor 9 closed: one that
# inherited it would hold the lock for as long as it lives.
with_lock() {
    make_run_dir
    if has flock; then
        (
            flock -n 9 || {
                say "waiting for another script that is starting or stopping the servers"
                flock -w 180 9 || die "the lock \`$RUN/lock\` is still held after 180 s"
            }
            "$@"
        ) 9>"$RUN/lock"
    else
        with_lock_folder "$@"
    fi
}

# Where there is no flock (macOS): a folder is made by one only, and names its maker.
with_lock_folder() {
    local folder=$RUN/lock.d tries=900 status=0
    until mkdir "$folder" 2>/dev/null; do
        tries=$((tries - 1))
        [ "$tries" -gt 0 ] || die "the lock \`$folder\` is still held after 180 s"
        kill -0 "$(cat "$folder/pid" 2>/dev/null || echo $$)" 2>/dev/null || rm -rf "$folder"
        sleep 0.2
    done
    echo $$ >"$folder/pid"
    ("$@") || status=$?
    rm -rf "$folder"
    return "$status"
}
