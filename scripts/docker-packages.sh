#!/bin/sh
# docker-packages.sh - install Debian's Docker engine and its client where they are missing.
set -eu
cd "$(dirname "$0")/.."

scripts/packages.sh dockerd=docker.io iptables=iptables
# Since trixie the client is a package of its own, which docker.io only recommends.
scripts/packages.sh docker=docker-cli
