#!/bin/sh
# Says whether web/dist is what the sources in web make.
set -eu
cd "$(dirname "$0")/../web"
fresh=$(mktemp -d)
trap 'rm -rf "$fresh"' EXIT
npm run --silent build -- --outDir "$fresh" --emptyOutDir
if ! diff -rq dist "$fresh"; then
	echo "web/dist is not what the sources in web make: run make web, and commit it with them." >&2
	exit 1
fi
