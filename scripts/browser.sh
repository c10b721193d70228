#!/bin/sh
# Makes sure that there is a Chromium for the tests of the page.
set -eu
[ -n "${PARLEY_BROWSER:-}" ] && exit 0
for name in chromium chromium-browser google-chrome; do
	if command -v "$name" >/dev/null 2>&1; then
		exit 0
	fi
done
[ -e "/Applications/Google Chrome.app" ] && exit 0
if command -v apt-get >/dev/null 2>&1 && [ "$(id -u)" = 0 ]; then
	echo "installing chromium for the tests of the page"
	apt-get update -qq
	DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium >/dev/null
	# For pictures with Korean in them; the tests do without.
	DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends fonts-noto-cjk >/dev/null 2>&1 || true
	exit 0
fi
echo "The page is tested in a browser: install chromium, or name one like it in PARLEY_BROWSER." >&2
exit 1
