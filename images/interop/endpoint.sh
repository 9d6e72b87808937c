#!/bin/sh
# endpoint.sh TESTCASE SIZE... - what a run starts at both ends: /run_endpoint.sh, as the QUIC interop runner would.
#
# The server has a file of random octets in /www for each size, named as the size is written (`head -c`). The client asks for
# them, and they must be in /downloads afterwards. Keys and qlogs are a run's own, in /logs.
#
# The client ends with the exit code of /run_endpoint.sh (0; 1: it failed; 127: the test case is unsupported), or with
#
#   2     the endpoint says that all went well, and a file is not what the server has
#   127   the server does not support the test case
set -eu

export TESTCASE="$1"
shift
logs=/logs/$WINDLULL_EXPERIMENT/$WINDLULL_LINK/$WINDLULL_VARIANT/$(printf %03d "$WINDLULL_REPETITION")
rm -rf "$logs"
mkdir -p "$logs/qlog"
export SSLKEYLOGFILE="$logs/keys.log" QLOGDIR="$logs/qlog/"

fail() { # fail CODE WHY
    echo "error: $2" >&2
    exit "$1"
}

endpoint() {
    code=0
    /run_endpoint.sh || code=$?
    echo "$code" >"$logs/exit-code"
}

case $ROLE in
    server)
        rm -rf /www/* /www/.unsupported
        for size; do
            head -c "$size" /dev/urandom >"/www/$size"
        done
        endpoint
        [ "$code" -eq 127 ] || exit "$code"
        # A client is started when something listens, and it is the client that says how a run ended.
        : >/www/.unsupported
        exec perl -MIO::Socket::INET -e 'my $at = IO::Socket::INET->new(LocalPort => 443, Listen => 1) or die $!; sleep'
        ;;
    client)
        [ ! -e /www/.unsupported ] || fail 127 "the server does not support the test case $TESTCASE"
        mkdir -p /downloads
        rm -rf /downloads/*
        REQUESTS=
        for size; do
            REQUESTS="$REQUESTS${REQUESTS:+ }https://server4:443/$size"
        done
        export REQUESTS
        endpoint
        [ "$code" -ne 127 ] || fail 127 "the client does not support the test case $TESTCASE"
        [ "$code" -eq 0 ] || exit "$code"
        for size; do
            cmp "/www/$size" "/downloads/$size" >&2 || fail 2 "/downloads/$size is not the server's /www/$size"
        done
        ;;
esac
