#!/bin/bash
# up.sh - the appliance from nothing: a Docker engine, images, containers, and where it is.
#
#   WORKERS=4               add a cluster's scheduler, so many workers that simulate, and one for live runs
#   OWN=compose.user.yaml   put own images in the places of client and server, as that file says; or compose.interop.yaml
#   WITH="quinn"            put stacks from elsewhere into hosts and controller (images/build.sh)
#
# `docker compose up --build` does as much where Docker's own builder and a registry are. Here Debian's packages suffice.
set -euo pipefail
cd "$(dirname "$0")/.."

refuse() {
    echo "error: $1" >&2
    exit 1
}

workers=${WORKERS:-0} own=${OWN:-}
[[ $workers =~ ^[0-9]+$ ]] || refuse "WORKERS=$workers: how many workers is a number"
[ -z "$own" ] || [ -f "$own" ] || refuse "OWN=$own: there is no such file"

images/engine-of-docker.sh
mkdir -p target/compose
config=$(images/compose.sh target/compose)
[ -z "$config" ] || export DOCKER_CONFIG=$config
if [ "$workers" -gt 0 ]; then
    export COMPOSE_PROFILES=scale WINDLULL_CLUSTER=tls://dask-scheduler:8786 WINDLULL_WORKERS=$workers
fi
images/build.sh
if [ -n "$own" ]; then
    # Ours are built above: what stands beside own containers is an image that only ours name.
    export COMPOSE_FILE=compose.yaml:$own
    images/build.sh server client
fi

# What waits until all are well takes those that end when they have done their work for failures; and it refuses workers,
# which cannot be asked how they are.
mapfile -t services < <(docker compose config --services | grep -vxE 'keys|engine|certificates|worker|live-worker')
grafana=$(docker compose config --images grafana | grep '^grafana/')
if ! docker image inspect "$grafana" >/dev/null 2>&1 && ! docker pull --quiet "$grafana"; then
    echo "$grafana cannot be pulled: no Grafana; Prometheus has the numbers all the same"
    mapfile -t services < <(printf '%s\n' "${services[@]}" | grep -vx grafana)
fi
docker compose up --detach --no-build --wait "${services[@]}"
[ "$workers" -eq 0 ] || docker compose up --detach --no-build --no-recreate worker live-worker

command="docker compose"
[ -z "$own" ] || command="COMPOSE_FILE=$COMPOSE_FILE $command"
[ -z "$config" ] || command="DOCKER_CONFIG=$config $command"
[ "$workers" -eq 0 ] || command="$command --profile scale"
echo "Windlull is at   http://$(docker compose port controller 8642)/"
echo "Its token        $(docker compose exec -T controller cat /run/windlull/token/token)"
echo "Prometheus       http://$(docker compose port prometheus 9090)/"
if [[ " ${services[*]} " == *" grafana "* ]]; then
    echo "Dashboards       http://$(docker compose port grafana 3000)/"
fi
echo "To stop it       $command down"
