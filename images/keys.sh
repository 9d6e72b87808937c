#!/bin/sh
# keys.sh - what the containers prove themselves by, made at the first start and kept: nothing of it is in an image, in a
# file of the host's or in the environment of a process.
#
#   /run/windlull/token/token          the API's, for whoever uses the service, and for Prometheus
#   /run/windlull/password/password    the database's
#   /run/windlull/password/pgpass      the same as its clients read it
#   /run/windlull/cluster/*.pem        the cluster's, for its scheduler, its workers and the controller
set -eu
umask 027

random() { od --address-radix=n --format=x1 --read-bytes=32 /dev/urandom | tr -d ' \n'; }

keep() { # keep FILE MODE: what comes in, whole or not at all
    cat >"$1.new"
    chmod "$2" "$1.new"
    mv "$1.new" "$1"
}

token=/run/windlull/token/token
password=/run/windlull/password/password
[ -s "$token" ] || random | keep "$token" 0640
[ -s "$password" ] || random | keep "$password" 0640
if [ ! -s /run/windlull/cluster/key.pem ]; then
    /opt/windlull/bin/python - <<'END'
from pathlib import Path

from distributed.security import Security

made = Security.temporary()
for name, content in {"cert": made.tls_client_cert, "key": made.tls_client_key}.items():
    part = Path(f"/run/windlull/cluster/{name}.new")
    part.touch(0o640)
    part.write_text(content, encoding="ascii")
    part.rename(part.with_suffix(".pem"))
END
fi
# libpq reads no file that others than its owner may read.
echo "*:*:windlull:windlull:$(cat "$password")" | keep "${password%/*}/pgpass" 0600
