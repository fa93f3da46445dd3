# shellcheck shell=bash
# The checkout's own Redis: loopback only, password only, nothing kept.

redis_dir() { echo "$(place)/redis"; }
redis_port() { cat "$RUN/redis.port" 2>/dev/null; }
redis_url() { printf 'redis://:%s@127.0.0.1:%s/0' "$(cat "$RUN/redis.password")" "$(redis_port)"; }

# Spoken by hand, since redis-cli may come in a package of its own. The subshell drops the
# connection with it.
redis_answers() {
    [ -s "$RUN/redis.port" ] && [ -s "$RUN/redis.password" ] || return 1
    port_taken "$(redis_port)" || return 1
    (
        exec 3<>"/dev/tcp/127.0.0.1/$(redis_port)"
        printf 'AUTH %s\r\nPING\r\n' "$(cat "$RUN/redis.password")" >&3
        read -r -t 5 login <&3 && read -r -t 5 answer <&3
        [ "${login%?}" = +OK ] && [ "${answer%?}" = +PONG ]
    ) 2>/dev/null
}

redis_pid() { as_server cat "$(redis_dir)/pid" 2>/dev/null || true; }

# A server writes its address, not its folder, on its command line.
redis_lives() { is_process "$(redis_pid)" "-server 127.0.0.1:$(redis_port)"; }

# Some systems have only its twin.
redis_program() { command -v redis-server || command -v valkey-server; }

redis_up() {
    local try
    if redis_answers; then return; fi
    redis_program >/dev/null || die "redis-server is missing: run \`scripts/install\`"
    redis_down
    [ -s "$RUN/redis.password" ] || random_hex | write_private "$RUN/redis.password"
    make_server_dir redis
    for try in 1 2 3 4 5; do
        if redis_start; then
            say "Redis runs on 127.0.0.1:$(redis_port)"
            return
        fi
        sleep "$try"
    done
    as_server tail -n 20 "$(redis_dir)/log" >&2 || true
    die "Redis does not start; its log is \`$(redis_dir)/log\`"
}

redis_start() {
    local dir port try
    dir=$(redis_dir)
    port=$(pick_port "$RUN/redis.port")
    redis_settings "$dir" "$port" | as_server tee "$dir/conf" >/dev/null
    as_server "$(redis_program)" "$dir/conf" </dev/null >/dev/null 2>&1 9>&- || return 1
    echo "$port" >"$RUN/redis.port"
    for try in {1..50}; do
        redis_answers && return
        sleep 0.1
    done
    return 1
}

redis_settings() {
    cat <<SETTINGS
bind 127.0.0.1
port $2
requirepass $(cat "$RUN/redis.password")
daemonize yes
dir "$1"
pidfile "$1/pid"
logfile "$1/log"
save ""
appendonly no
maxmemory 256mb
maxmemory-policy allkeys-lru
SETTINGS
}

redis_down() {
    local pid
    pid=$(redis_pid)
    redis_lives || return 0
    kill "$pid"
    wait_gone "$pid" 10 || { kill -9 "$pid" && wait_gone "$pid" 10; }
    say "Redis is stopped"
}
