#!/bin/bash
# answers.sh PORT PATH - exit code 0 if what listens in this container answers 200. For health checks: nothing to install.
set -euo pipefail
exec 3<>"/dev/tcp/127.0.0.1/$1"
printf 'GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n' "$2" >&3
read -r _ status _ <&3
[ "$status" = 200 ]
