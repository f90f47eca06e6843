#!/bin/sh
# Everything that must hold before a change goes in. Each step says its name.
set -eu

step() { printf '\n== %s\n' "$*"; }

step gofmt
unformatted=$(gofmt -l $(git ls-files '*.go' 2>/dev/null || find . -name '*.go'))
if [ -n "$unformatted" ]; then
	echo "not formatted:" >&2
	echo "$unformatted" >&2
	exit 1
fi

step vet
go vet ./...
go vet -tags headless ./...
(cd demos/guest && go vet -tags headless ./...)
(cd bench && go vet ./...)

step "builds without cgo, window and sound"
CGO_ENABLED=0 go build -tags headless ./...

step floors
go test -count=1 -tags headless -run 'TestFloors|TestReadme' .

step "tests, with the race detector"
go test -race -tags headless -timeout 15m ./...

step "a thousand damaged packs"
go test -count=1 -tags headless -run TestCorruptedPacks -timeout 8m ./demos/hallway

step "the simulation of the store, a million steps"
go test -count=1 -run 'TestSimulation$' -timeout 6m -v ./assets -steps 1000000

step "tests with tag invariants"
go test -race -tags 'headless invariants' -short -timeout 10m ./assets ./assets/pack ./assets/loose ./gpu ./audio ./stages/... ./resources ./ecs/... .

step "tests with tag tracing"
go test -race -tags 'headless tracing' -short -timeout 10m ./assets

step "diagnostics left out, one side or both"
for tag in diagnostics_off diagnostics_cpu diagnostics_gpu; do
	go test -count=1 -tags "headless $tag" -run 'Diagnostics|Snapshot_' .
done

step "a guest's module"
(cd demos/guest && go test -race -tags headless ./...)

step "windowed tests, under Xvfb"
xvfb-run -a -s "-screen 0 1280x720x24" go test -timeout 10m ./gpu/ebitengine/... ./cmd/demo/... ./audio/otosink/...

printf '\nall steps passed\n'
