package axtree

// A joiner joins strings, and copies nothing if there is only one.
type joiner struct {
	one string
	buf []byte
}

func (j *joiner) add(s string) {
	switch {
	case j.buf != nil:
		j.buf = append(j.buf, s...)
	case j.one == "":
		j.one = s
	default:
		j.buf = make([]byte, 0, len(j.one)+len(s)+32)
		j.buf = append(append(j.buf, j.one...), s...)
	}
}

// open reports whether the text so far ends in something that could run
// together with what follows.
func (j *joiner) open() bool {
	if j.buf != nil {
		return !isSpace(j.buf[len(j.buf)-1])
	}
	return j.one != "" && !isSpace(j.one[len(j.one)-1])
}

func (j *joiner) String() string {
	if j.buf != nil {
		return string(j.buf)
	}
	return j.one
}
