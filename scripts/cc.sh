#!/bin/sh
# Makes sure that there is a C compiler, which Go's race detector links with.
set -eu
if command -v "${CC:-gcc}" >/dev/null 2>&1; then
	exit 0
fi
if command -v apt-get >/dev/null 2>&1 && [ "$(id -u)" = 0 ]; then
	echo "installing a C compiler for the race detector"
	apt-get update -qq
	DEBIAN_FRONTEND=noninteractive apt-get install -y -qq gcc libc6-dev >/dev/null
	exit 0
fi
echo "The tests run under Go's race detector, which needs a C compiler: install gcc (or clang, with CC=clang)." >&2
exit 1
