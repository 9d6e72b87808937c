#!/bin/sh
# install.sh PACKAGE... - Debian packages into an image, and nothing else: no recommendations, no lists, no caches.
set -eu
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
{
    apt-get update --quiet --quiet
    apt-get install --yes --quiet --quiet --no-install-recommends "$@"
    apt-get clean
} >"$log" 2>&1 || {
    cat "$log" >&2
    exit 1
}
rm -rf "$log" /var/lib/apt/lists/* /var/cache/debconf/*-old /var/log/apt /var/log/dpkg.log
