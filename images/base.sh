#!/bin/bash
# base.sh IMAGE - a stand-in for Debian's own image where no registry can be reached: debootstrap, `docker import`.
#
# The tag is the one that images/Dockerfile names, so that nothing else needs to know.
set -euo pipefail

image=$1
suite=trixie

root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
"$(dirname "$0")/../scripts/bare-debian.sh" "$suite" "$root"
tar --directory "$root" --create --one-file-system . | docker import --change 'CMD ["bash"]' --message "debootstrap $suite" - "$image" >/dev/null
echo "$image: made of Debian's $suite packages"
