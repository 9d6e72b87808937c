#!/bin/bash
# emulated.sh ENGINE PROFILES STATE - an emulator between two hosts, and a client that never stops sending; for tests.
#
# In a network namespace of its own: unshare --user --map-root-user --net emulated.sh ... Ends with its process group.
set -euo pipefail
engine=$1 profiles=$2 state=$3

echo 0 >/proc/sys/net/ipv4/ip_forward
ip link set lo up
for side in server:1 client:2; do
    host=${side%:*} net=198.18.${side#*:}
    exec {said}< <(exec unshare --net sh -c 'echo "$$"; exec sleep infinity')
    read -r holder <&"$said"
    ip link add "to-$host" type veth peer name eth0 netns "$holder"
    ip link set "to-$host" up
    within() { nsenter --target "$holder" --net "$@"; }
    within ip address add "$net.10/24" dev eth0
    within ip link set eth0 up
    within ip route add default via "$net.254"
done
# The last one is the client's.
within bash -c 'while :; do echo packet >/dev/udp/198.18.1.10/9 && sleep 0.05; done' 2>/dev/null &

exec "$engine" --profiles "$profiles" emulate --listen 127.0.0.1:7411 --state "$state" \
    --server-side to-server --server-side-address 198.18.1.254/24 \
    --client-side to-client --client-side-address 198.18.2.254/24
