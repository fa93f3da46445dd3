# shellcheck shell=bash
# What every script starts with: where the checkout is, and how to speak.

set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
RUN=$ROOT/.run
CACHE=${XDG_CACHE_HOME:-$HOME/.cache}/loadout
export ROOT RUN CACHE

# rustup puts Rust where a shell that was opened before does not look.
case :$PATH: in *:"$HOME/.cargo/bin":*) ;; *) PATH=$PATH:$HOME/.cargo/bin ;; esac

# Progress goes to stderr, so that stdout holds results only.
say() { printf '==> %s\n' "$*" >&2; }
warn() { printf 'warning: %s\n' "$*" >&2; }
die() {
    printf 'error: %s\n' "$*" >&2
    exit 1
}

has() { command -v "$1" >/dev/null 2>&1; }
is_root() { [ "$(id -u)" -eq 0 ]; }

# `usage "$@" <<EOF` prints the text and ends the script where the first argument asks for help.
usage() {
    case ${1:-} in
        -h | --help | help)
            cat
            exit 0
            ;;
    esac
}

# The folder is enterable but not listable by others: the servers' own user has to get through.
make_run_dir() {
    mkdir -p "$RUN"
    [ -O "$RUN" ] || die "\`$RUN\` belongs to another user: run as that user, or remove the folder"
    chmod 0711 "$RUN"
}

random_hex() { od -An -N24 -tx1 /dev/urandom | tr -d ' \n'; }

sha256_of() {
    if has sha256sum; then sha256sum "$@"; else shasum -a 256 "$@"; fi
}

# Writes stdin to a file that only its owner reads, whole or not at all.
write_private() {
    local path=$1 temporary
    temporary=$(mktemp "$path.XXXXXX")
    cat >"$temporary"
    chmod 0600 "$temporary"
    mv -f "$temporary" "$path"
}
