#!/bin/sh
# packages.sh PROBE=PACKAGE... - install the Debian packages whose probe is missing.
# A probe is a command, or the absolute path of a file, in which `*` matches. Nothing is touched when all are there.
set -eu

missing=
for pair in "$@"; do
    probe=${pair%%=*}
    # shellcheck disable=SC2086 # the pattern of a path must match
    case $probe in
        /*) ls -d $probe >/dev/null 2>&1 || missing="$missing ${pair#*=}" ;;
        *) command -v "$probe" >/dev/null 2>&1 || missing="$missing ${pair#*=}" ;;
    esac
done
[ -n "$missing" ] || exit 0

if ! command -v apt-get >/dev/null 2>&1; then
    echo "error: please install:$missing (this machine has no apt-get, so make cannot)" >&2
    exit 1
fi
if [ "$(id -u)" -eq 0 ]; then
    as_root=
elif command -v sudo >/dev/null 2>&1; then
    as_root=sudo
else
    echo "error: please install, as root:$missing" >&2
    exit 1
fi

# Two targets may ask at once under `make -j`.
lock=target/packages.lock
mkdir -p "${lock%/*}"
exec 9>"$lock"
flock 9

echo "Installing:$missing"
# Wireshark asks whether ordinary users may capture packets. They need not: files are all that is read here.
# shellcheck disable=SC2086 # both are lists of words
{
    if command -v debconf-set-selections >/dev/null 2>&1; then
        echo "wireshark-common wireshark-common/install-setuid boolean false" | $as_root debconf-set-selections
    fi
    $as_root apt-get update --quiet --quiet
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install --yes --quiet --quiet --no-install-recommends $missing
}
