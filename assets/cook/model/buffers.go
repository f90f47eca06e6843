package model

// buffer gives the declared bytes of a buffer, read when first asked for.
func (d *document) buffer(i int) ([]byte, error) {
	b, err := pick("buffer", d.Buffers, i)
	if err != nil {
		return nil, err
	}
	if d.buffers[i] != nil {
		return d.buffers[i], nil
	}
	if b.ByteLength < 1 {
		return nil, corruptf("buffer %d: byteLength %d", i, b.ByteLength)
	}
	if b.ByteLength > bufferBytesMax-d.bufferBytes {
		return nil, tooLargef("buffer %d: %d bytes, the buffers of a model may have %d together",
			i, b.ByteLength, bufferBytesMax)
	}
	data, name, err := d.bufferBody(i)
	if err != nil {
		return nil, corruptf("buffer %d: %w", i, err)
	}
	if len(data) < b.ByteLength {
		return nil, corruptf("buffer %d: truncated: %d bytes are declared, %s has %d", i, b.ByteLength, name, len(data))
	}
	d.buffers[i] = data[:b.ByteLength:b.ByteLength]
	d.bufferBytes += b.ByteLength
	return d.buffers[i], nil
}

// bufferBody reads a buffer from wherever it lies and says where that is.
func (d *document) bufferBody(i int) (data []byte, name string, err error) {
	uri := d.Buffers[i].URI
	switch {
	case uri == "" && i == 0 && d.bin != nil:
		return d.bin, "the binary chunk", nil
	case uri == "":
		return nil, "", corruptf("it has neither a URI nor a binary chunk")
	case isDataURI(uri):
		data, err = dataURI(uri)
		return data, "its data URI", err
	}
	data, _, err = d.readURI(uri)
	return data, shown(uri), err
}

// span is a part of a buffer.
type span struct {
	bytes       []byte
	strideBytes int // 0: elements are packed
}

// view gives the bytes of a buffer view.
func (d *document) view(i int) (span, error) {
	v, err := pick("bufferView", d.BufferViews, i)
	if err != nil {
		return span{}, err
	}
	b, err := d.buffer(v.Buffer)
	if err != nil {
		return span{}, corruptf("bufferView %d: %w", i, err)
	}
	if v.ByteOffset < 0 || v.ByteLength < 1 || v.ByteOffset > len(b) || v.ByteLength > len(b)-v.ByteOffset {
		return span{}, corruptf("bufferView %d: %d bytes from %d do not lie in the %d bytes of buffer %d",
			i, v.ByteLength, v.ByteOffset, len(b), v.Buffer)
	}
	if v.ByteStride < 0 || v.ByteStride > 252 {
		return span{}, corruptf("bufferView %d: byteStride %d is not in 4..252", i, v.ByteStride)
	}
	return span{b[v.ByteOffset : v.ByteOffset+v.ByteLength], v.ByteStride}, nil
}
