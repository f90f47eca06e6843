// Package otosink plays a mixer through the machine's sound device, by way of
// oto. With build tag headless it is empty.
//
// Where there is no usable device [Open] says so within seconds, and the
// caller takes a silent sink.
package otosink
