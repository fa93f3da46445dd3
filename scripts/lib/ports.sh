# shellcheck shell=bash
# Free ports on the loopback address.

port_taken() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

# The port kept in file $1 if it is free, else a new one. Below 32768, where systems begin to hand
# out ports to outgoing connections.
pick_port() {
    local port=
    [ ! -s "$1" ] || port=$(cat "$1")
    while [ -z "$port" ] || port_taken "$port"; do
        port=$((20000 + RANDOM % 12000))
    done
    printf '%s' "$port"
}
