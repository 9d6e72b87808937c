#!/bin/bash
# What such images have: it routes, waits for the runner's simulator, and fails with either.
set -e
/setup.sh
case $TESTCASE in
    handshake | transfer | truncated) ;;
    *) exit 127 ;;
esac
[ "$ROLE" != client ] || /wait-for-it.sh sim:57832 -s -t 30
exec python3 -B /hq.py "$ROLE"
