// Package demo is what every bundled demo shares: its environment, its input
// as plain data, the recorder and the report. It draws nothing and reads no
// keyboard; front doors do.
package demo
