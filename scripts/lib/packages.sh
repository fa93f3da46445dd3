# shellcheck shell=bash
# The machine's package managers, and what each calls the things we need.

# The first manager that is there; empty where we know none.
package_manager() {
    local manager
    for manager in apt-get dnf pacman apk brew; do
        if has "$manager"; then
            echo "$manager"
            return
        fi
    done
}

# The packages that bring need $2 by manager $1.
packages_for() {
    case $1/$2 in
        apt-get/postgres) echo postgresql ;;
        apt-get/redis) echo redis-server ;;
        apt-get/cc) echo gcc g++ libc6-dev ;;
        apt-get/pip) echo python3 python3-pip ;;
        dnf/postgres) echo postgresql-server postgresql ;;
        dnf/cc) echo gcc gcc-c++ ;;
        dnf/pip) echo python3 python3-pip ;;
        pacman/cc) echo gcc ;;
        pacman/postgres) echo postgresql ;;
        pacman/pip) echo python python-pip ;;
        apk/cc) echo build-base ;;
        apk/postgres) echo postgresql postgresql-client ;;
        apk/pip) echo python3 py3-pip ;;
        brew/postgres) echo postgresql@17 ;;
        brew/cc) echo gcc ;;
        brew/pip) echo python ;;
        */redis) echo redis ;;
        *) die "no package is known for \`$2\` with \`$1\`" ;;
    esac
}

# Runs a command as root: as it is, or by sudo, which may ask for a password only at a terminal.
as_root() {
    if is_root; then "$@"; else sudo -- "$@"; fi
}

can_be_root() {
    is_root && return
    has sudo || return 1
    sudo -n true 2>/dev/null || { [ -t 0 ] && [ -t 2 ] && sudo -v; }
}

install_packages() {
    local manager=$1
    shift
    case $manager in
        apt-get) apt_install "$@" ;;
        dnf) as_root dnf install -y --setopt=install_weak_deps=False "$@" ;;
        pacman) as_root pacman -S --needed --noconfirm "$@" ;;
        apk) as_root apk add --no-progress "$@" ;;
        brew) brew install --quiet "$@" ;;
    esac
}

# Debian starts what it installs, makes a cluster for a new Postgres, and starts a new Redis at
# every boot. We want the programs only, so all three are held off, and what holds them is removed.
apt_install() {
    local status=0
    as_root env DEBIAN_FRONTEND=noninteractive bash -s -- "$@" >&2 <<'AS_ROOT' || status=$?
set -euo pipefail
policy=/usr/sbin/policy-rc.d
clusters=/etc/postgresql-common/createcluster.d
made=()
undo() {
    [ ${#made[@]} -eq 0 ] || rm -f "${made[@]}"
    rmdir "$clusters" "${clusters%/*}" 2>/dev/null || true
}
trap undo EXIT
if [ ! -e "$policy" ]; then
    made+=("$policy")
    printf '#!/bin/sh\nexit 101\n' >"$policy"
    chmod +x "$policy"
fi
mkdir -p "$clusters"
made+=("$clusters/loadout.conf")
echo 'create_main_cluster = false' >"$clusters/loadout.conf"

apt="apt-get -o DPkg::Lock::Timeout=180 -o Dpkg::Use-Pty=0 -q -y"
$apt update
$apt install --no-install-recommends "$@"
case " $* " in
    *' redis-server '*)
        deb-systemd-helper disable redis-server.service >/dev/null 2>&1 || true
        update-rc.d redis-server disable >/dev/null 2>&1 || true
        ;;
esac
AS_ROOT
    return "$status"
}
