#!/bin/bash
# compose.sh DIRECTORY - see that `docker compose` is there; prints the DOCKER_CONFIG with which it is, empty for the user's.
#
# Debian has the plugin since trixie. Where a machine has none, that package's is unpacked into DIRECTORY; it is one
# program, and needs nothing else.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
if docker compose version >/dev/null 2>&1; then
    exit 0
fi
mkdir -p "$1"
directory=$(cd "$1" && pwd)
plugin=$directory/config/cli-plugins/docker-compose
if [ ! -x "$plugin" ]; then
    "$here/../scripts/of-suite.sh" "$directory" trixie docker-compose || {
        echo "error: docker compose is needed, and it could not be had as Debian's package docker-compose" >&2
        exit 1
    }
    dpkg-deb --extract "$directory"/docker-compose_*.deb "$directory/unpacked"
    mkdir -p "${plugin%/*}"
    mv "$(find "$directory/unpacked" -path '*/cli-plugins/docker-compose')" "$plugin"
    rm -rf "$directory/unpacked" "$directory"/docker-compose_*.deb
fi
DOCKER_CONFIG=$directory/config docker compose version >/dev/null
echo "$directory/config"
