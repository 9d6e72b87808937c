#!/bin/sh
# nothing.sh - stands in the places of an endpoint's /setup.sh and /wait-for-it.sh. Both are of the interop runner's own
# network: the first routes by its addresses, the second waits for its simulator. The emulator is our containers' router
# already, and a run begins when its link is up.
