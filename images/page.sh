#!/bin/sh
# page.sh source|ready DIRECTORY - the web page and the pages of one file in DIRECTORY: built from /src/web, or from /ready.
set -eu

parts=$1 directory=$2
mkdir -p "$directory"

case $parts in
    source)
        npm run --silent build
        cp -r dist/report.html dist/two-runs.html dist/app "$directory"
        ;;
    ready)
        for part in report.html two-runs.html app/index.html; do
            [ -f "/ready/$part" ] || {
                echo "error: PARTS=ready, and there is no images/ready/$part" >&2
                exit 1
            }
        done
        cp -r /ready/report.html /ready/two-runs.html /ready/app "$directory"
        ;;
    *)
        echo "error: PARTS is source or ready, not $parts" >&2
        exit 1
        ;;
esac
