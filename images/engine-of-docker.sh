#!/bin/bash
# engine-of-docker.sh - see that a Docker engine answers: install Debian's where there is none, and start it.
set -euo pipefail
cd "$(dirname "$0")/.."

answers() { docker info >/dev/null 2>&1; }

refuse() {
    echo "error: $1" >&2
    exit 1
}

answers && exit 0
[ -z "${DOCKER_HOST:-}" ] || refuse "no Docker engine answers at $DOCKER_HOST"
scripts/docker-packages.sh
as_root=
[ "$(id -u)" -eq 0 ] || as_root=sudo
if ! answers && ! $as_root docker info >/dev/null 2>&1; then
    if ! $as_root service docker start >/dev/null 2>&1; then
        # A machine without an init system of its own has nobody who starts services.
        log=target/compose/dockerd.log
        mkdir -p "${log%/*}"
        $as_root setsid dockerd >"$log" 2>&1 </dev/null &
        echo "The Docker engine is started without a service manager, as process $!; its log is $log"
    fi
fi
for _ in $(seq 60); do
    answers && exit 0
    if [ -n "$as_root" ] && $as_root docker info >/dev/null 2>&1; then
        refuse "the Docker engine runs, and $(id -un) may not use it: sudo usermod --append --groups docker $(id -un), then log in anew"
    fi
    sleep 1
done
refuse "no Docker engine answers${log:+; why may stand in $log}"
