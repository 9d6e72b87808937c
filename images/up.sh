#!/bin/bash
# up.sh - the appliance from nothing: images, containers, and where it is.
#
# `docker compose up --build` does as much where Docker's own builder and a registry are. Here Debian's packages suffice.
set -euo pipefail
cd "$(dirname "$0")/.."

mkdir -p target/compose
config=$(images/compose.sh target/compose)
[ -z "$config" ] || export DOCKER_CONFIG=$config
images/build.sh

# What waits until all are well takes `keys`, which ends when it has done its work, for a failure.
mapfile -t services < <(docker compose config --services | grep -vx keys)
grafana=$(docker compose config --images grafana | grep '^grafana/')
if ! docker image inspect "$grafana" >/dev/null 2>&1 && ! docker pull --quiet "$grafana"; then
    echo "$grafana cannot be pulled: no Grafana; Prometheus has the numbers all the same"
    mapfile -t services < <(printf '%s\n' "${services[@]}" | grep -vx grafana)
fi
docker compose up --detach --no-build --wait "${services[@]}"

command="docker compose"
[ -z "$config" ] || command="DOCKER_CONFIG=$config $command"
echo "Windlull is at   http://$(docker compose port controller 8642)/"
echo "Its token        $(docker compose exec -T controller cat /run/windlull/token/token)"
echo "Prometheus       http://$(docker compose port prometheus 9090)/"
if [[ " ${services[*]} " == *" grafana "* ]]; then
    echo "Dashboards       http://$(docker compose port grafana 3000)/"
fi
echo "To stop it       $command down"
