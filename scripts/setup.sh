#!/bin/sh
# Makes sure that what the build and the windowed tests need is installed.
# With apt and root (or sudo without a password) it installs; otherwise it says
# exactly what is missing and ends with 1.
set -eu

if ! command -v go >/dev/null 2>&1; then
	if [ -x /usr/local/go/bin/go ]; then
		echo "setup: go is at /usr/local/go/bin, which is not on PATH: run  export PATH=\$PATH:/usr/local/go/bin" >&2
	else
		echo "setup: go is missing: install Go 1.26 or later from https://go.dev/dl" >&2
	fi
	exit 1
fi

packages="gcc libc6-dev pkg-config libgl1-mesa-dev libgl1-mesa-dri libxcursor-dev libxi-dev libxinerama-dev libxrandr-dev libxxf86vm-dev libasound2-dev xvfb xauth mesa-utils"
# mesa-utils brings glxinfo: where it answers, Ebitengine presents through GLX,
# which hands a software frame to the X server in shared memory, not by socket.
# The tests read packs with ordinary tools where these are there.
[ "${1:-}" = test ] && packages="$packages libarchive-tools p7zip-full"

if ! command -v dpkg >/dev/null 2>&1; then
	echo "setup: no dpkg here; these are needed, by their Debian names: $packages" >&2
	exit 0
fi

missing=""
for p in $packages; do
	dpkg -s "$p" 2>/dev/null | grep -q '^Status: install ok installed' || missing="$missing $p"
done
[ -n "$missing" ] || exit 0

as_root=""
if [ "$(id -u)" != 0 ]; then
	if command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
		as_root="sudo"
	else
		echo "setup: missing packages:$missing" >&2
		echo "setup: install them with:  sudo apt-get install -y$missing" >&2
		exit 1
	fi
fi
echo "setup: installing$missing"
export DEBIAN_FRONTEND=noninteractive
$as_root apt-get update -qq
# shellcheck disable=SC2086
$as_root apt-get install -y -qq --no-install-recommends $missing
