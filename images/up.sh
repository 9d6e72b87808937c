#!/bin/bash
# up.sh [OPTION...] - the appliance from nothing: images, containers, and where it is. Options are those of `compose up`.
set -euo pipefail
cd "$(dirname "$0")/.."

mkdir -p target/compose
config=$(images/compose.sh target/compose)
[ -z "$config" ] || export DOCKER_CONFIG=$config
images/build.sh
docker compose up --detach --wait "$@"
cat <<END
Windlull is at   http://$(docker compose port controller 8642)/
Its token        $(docker compose exec -T controller cat /run/windlull/token/token)
Dashboards       http://$(docker compose port grafana 3000 2>/dev/null || echo "(no Grafana)")/
Prometheus       http://$(docker compose port prometheus 9090)/
END
