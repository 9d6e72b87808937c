#!/bin/bash
# build.sh [SERVICE...] - build the images of compose.yaml, or of some of its services.
#
#   BASE=debootstrap   make a stand-in for Debian's image (images/base.sh); without it that is done where the image is
#                      neither here nor to be had
#   PARTS=ready        put in the engine and the pages that `make setup` has built, instead of building them anew
#   WITH="quinn"       put in the engines with these stacks in them, too: built from source where PARTS is not ready
set -euo pipefail
cd "$(dirname "$0")/.."

base=${WINDLULL_BASE:-debian:trixie-slim}
parts=${PARTS:-source}
read -ra stacks <<<"${WITH:-}"

refuse() {
    echo "error: $1" >&2
    exit 1
}

docker info >/dev/null 2>&1 || refuse "no Docker engine answers at ${DOCKER_HOST:-its usual place}"
mkdir -p target/compose
config=$(images/compose.sh target/compose)
[ -z "$config" ] || export DOCKER_CONFIG=$config

case ${BASE:-} in
    debootstrap) images/base.sh "$base" ;;
    "")
        if ! docker image inspect "$base" >/dev/null 2>&1 && ! docker pull --quiet "$base"; then
            echo "$base cannot be pulled; a stand-in is made of Debian's packages"
            images/base.sh "$base"
        fi
        ;;
    *) refuse "BASE is debootstrap, or nothing; WINDLULL_BASE names another image" ;;
esac

case $parts in
    source) ;;
    ready)
        find images/ready -mindepth 1 ! -name .gitignore -delete
        for part in target/release/windlull-engine web/dist/report.html web/dist/two-runs.html web/dist/app; do
            [ -e "$part" ] || refuse "PARTS=ready: there is no $part; make setup builds it"
            cp -r "$part" images/ready/
        done
        for stack in "${stacks[@]}"; do
            engine=${WINDLULL_STACKS:-target/stacks}/$stack/engine
            [ -x "$engine" ] || refuse "PARTS=ready: there is no $engine; windlull stacks build $stack builds it"
            install -D "$engine" "images/ready/stacks/$stack/engine"
        done
        ;;
    *) refuse "PARTS is source or ready, not $parts" ;;
esac

# Without Docker's own builder the older one serves; what it has built, the next image takes from its cache.
docker buildx version >/dev/null 2>&1 || export DOCKER_BUILDKIT=0
[ $# -gt 0 ] || set -- prometheus postgres emulator server client controller
for service in "$@"; do
    echo "building $service"
    log=target/compose/$service.log
    WINDLULL_PARTS=$parts WINDLULL_WITH=${stacks[*]} docker compose build "$service" >"$log" 2>&1 || {
        tail -n 40 "$log" >&2
        refuse "the image of $service was not built; all of it is in $log"
    }
done
