# shellcheck shell=bash
# Where the servers keep their files, and as which user they run: Postgres refuses root.

# The user that owns the servers where the caller is root; empty where the caller is not.
server_user() {
    is_root || return 0
    if id postgres >/dev/null 2>&1; then echo postgres; else echo nobody; fi
}

# Runs a command as the servers' user, outside of folders which that user can't enter.
as_server() {
    local user
    user=$(server_user)
    if [ -z "$user" ]; then
        (cd / && exec "$@")
    elif has setpriv && setpriv --reuid="$user" --clear-groups true 2>/dev/null; then
        (cd / && exec setpriv --reuid="$user" --regid="$(id -g "$user")" --clear-groups -- "$@")
    else
        (cd / && exec su -s /bin/sh "$user" -c "$(printf '%q ' "$@")")
    fi
}

# The folder of all server files, once it has been chosen.
place() {
    local kept
    kept=$(cat "$RUN/place" 2>/dev/null || echo inside)
    if [ "$kept" = inside ]; then echo "$RUN"; else echo "$kept"; fi
}

# Makes folder $1 in the place, owned by the servers' user.
make_server_dir() {
    local folder user
    folder=$(place)/$1
    mkdir -p "$folder"
    chmod 0700 "$folder"
    user=$(server_user)
    [ -z "$user" ] || chown "$user:$(id -g "$user")" "$folder"
}

# Chooses `.run/` itself, or a folder elsewhere when the servers' user can't get into the checkout
# (a root's checkout below a home folder of mode 0700).
choose_place() {
    local kept
    kept=$(cat "$RUN/place" 2>/dev/null || true)
    case $kept in
        inside) return ;;
        ?*) [ "$(cat "$kept/checkout" 2>/dev/null)" != "$ROOT" ] || return 0 ;;
    esac
    if as_server test -x "$RUN"; then
        echo inside >"$RUN/place"
    else
        choose_outside_place
    fi
}

choose_outside_place() {
    local folder
    folder=/var/lib/loadout-$(printf '%s' "$ROOT" | sha256_of | cut -c1-12)
    if ! mkdir -p "$folder" 2>/dev/null; then
        folder=$(mktemp -d "${TMPDIR:-/tmp}/loadout-XXXXXX")
    fi
    chmod 0711 "$folder"
    echo "$ROOT" >"$folder/checkout"
    echo "$folder" >"$RUN/place"
    say "user \`$(server_user)\` can't enter \`$RUN\`: the servers' files are in \`$folder\`"
}

# Removes what lies outside of the checkout, if it is this checkout's.
remove_outside_place() {
    local folder
    folder=$(place)
    [ "$folder" != "$RUN" ] || return 0
    [ "$(cat "$folder/checkout" 2>/dev/null)" = "$ROOT" ] || return 0
    say "removing \`$folder\`"
    rm -rf "$folder"
}
