#!/bin/sh
# Makes sure that the programs are there which tools use if they can: ripgrep to
# search, bubblewrap to hold commands. Tests that need one are skipped without it.
set -eu
missing=""
command -v rg >/dev/null 2>&1 || missing="$missing ripgrep"
command -v bwrap >/dev/null 2>&1 || missing="$missing bubblewrap"
if [ -z "$missing" ]; then
	exit 0
fi
if command -v apt-get >/dev/null 2>&1 && [ "$(id -u)" = 0 ]; then
	echo "installing$missing for the tests of the tools"
	# shellcheck disable=SC2086 # they are several words
	if apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq $missing >/dev/null; then
		exit 0
	fi
fi
echo "Some tests of the tools are skipped: install$missing to run them." >&2
