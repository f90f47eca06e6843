#!/bin/sh
# Runs the hallway: in a window where there is a display, otherwise under Xvfb
# for a while, ending in pictures and a report. ARGS go to the demo.
set -eu
mkdir -p out
if [ -n "${DISPLAY:-}" ] || [ -n "${WAYLAND_DISPLAY:-}" ]; then
	# shellcheck disable=SC2086
	exec go run ./cmd/demo hallway ${ARGS:-}
fi
echo "no display: the hallway runs under xvfb-run for 900 ticks"
go build -o out/demo ./cmd/demo
# shellcheck disable=SC2086
xvfb-run -a -s "-screen 0 1280x720x24" out/demo hallway --frames 900 \
	--screenshot out/hallway-near.png@300,out/hallway-far.png@840 --report out/hallway.json ${ARGS:-}
echo
echo "pictures: $(pwd)/out/hallway-near.png  $(pwd)/out/hallway-far.png"
echo "report:   $(pwd)/out/hallway.json"
