#!/bin/sh
# own-network.sh COMMAND... - run a command in a network namespace of its own that has a loopback device alone.
#
# Chromium breaks off what it loads when an address of the machine comes or goes (net::ERR_NETWORK_CHANGED), from loopback
# too; and a container that starts brings one. Without root the command runs where it is.
set -eu

if [ "$(id -u)" -eq 0 ]; then
    exec unshare --net sh -c 'ip link set lo up && exec "$@"' own-network "$@"
fi
exec "$@"
