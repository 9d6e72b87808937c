#!/bin/sh
# venv.sh DIRECTORY LOCK [PACKAGE] - a Python environment with the locked libraries, and PACKAGE, editable.
set -eu

directory=$1 lock=$2 package=${3:-}

usable() { # is this a Python of 3.11 or newer that can make an environment with pip?
    "$1" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
}

find_python() {
    for candidate in "${PYTHON:-python3}" python3.13 python3.12 python3.11 /usr/bin/python3; do
        if usable "$candidate"; then
            echo "$candidate"
            return
        fi
    done
    return 1
}

if ! python=$(find_python); then
    # Debian keeps `venv` in a package of its own; without the right to install it, say so and stop.
    if command -v apt-get >/dev/null 2>&1 && [ "$(id -u)" -eq 0 ]; then
        "$(dirname "$0")/packages.sh" /nowhere=python3-venv
    fi
    if ! python=$(find_python); then
        echo "error: Python 3.11 or newer with its venv module is needed (Debian, Ubuntu: apt install python3-venv);" \
            "set PYTHON=/path/to/python3 if it is not the first on the PATH" >&2
        exit 1
    fi
fi

"$python" -m venv --clear "$directory"
"$directory/bin/pip" install --quiet --disable-pip-version-check --requirement "$lock"
[ -z "$package" ] ||
    "$directory/bin/pip" install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable "$package"
