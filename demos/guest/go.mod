module guest

go 1.26.0

require (
	github.com/mlange-42/arche v0.15.3
	go.uber.org/goleak v1.3.0
	sojourn v0.0.0
)

require (
	github.com/fxamacker/cbor/v2 v2.10.0 // indirect
	github.com/go-gl/mathgl v1.2.0 // indirect
	github.com/gopxl/beep/v2 v2.1.1 // indirect
	github.com/klauspost/cpuid/v2 v2.2.10 // indirect
	github.com/pkg/errors v0.9.1 // indirect
	github.com/x448/float16 v0.8.4 // indirect
	github.com/zeebo/xxh3 v1.1.0 // indirect
	golang.org/x/sys v0.50.0 // indirect
)

replace sojourn => ../..
