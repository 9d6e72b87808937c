#!/bin/sh
# background-chromium.sh ARGUMENT... - Chromium that gives way to all else; tests take it from CHROMIUM.
#
# A browser is started in a session of its own. Where the kernel shares time between sessions first, the `nice` of whoever
# started it says nothing there, and as root Chromium raises its own. Pages that are to be drawn within a time are not given the
# least.
{ echo 10 >/proc/self/autogroup; } 2>/dev/null || true
exec /usr/bin/chromium "$@"
