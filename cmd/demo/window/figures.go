package window

import "strconv"

// appendBytes adds a number of bytes in the unit that suits it.
func appendBytes(b []byte, n int64) []byte {
	const units = "KMGT"
	if n > -1024 && n < 1024 {
		return append(strconv.AppendInt(b, n, 10), " B"...)
	}
	x, unit := float64(n)/1024, 0
	for (x >= 1000 || x <= -1000) && unit < len(units)-1 {
		x /= 1024
		unit++
	}
	b = strconv.AppendFloat(b, x, 'f', 1, 64)
	return append(b, ' ', units[unit], 'i', 'B')
}

// appendCount adds a number with its thousands apart.
func appendCount(b []byte, n int64) []byte {
	if n < 0 {
		b = append(b, '-')
		n = -n
	}
	var digits [20]byte
	d := strconv.AppendInt(digits[:0], n, 10)
	for i, c := range d {
		if i > 0 && (len(d)-i)%3 == 0 {
			b = append(b, ' ')
		}
		b = append(b, c)
	}
	return b
}

// appendMS adds milliseconds.
func appendMS(b []byte, ms float64) []byte {
	return append(strconv.AppendFloat(b, ms, 'f', 2, 64), " ms"...)
}
