package trace

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/internal/chrometest"
)

// inflating is a trace whose bundle begins as one may and comes to so many bytes.
func inflating(t *testing.T, head string, bytesOfIt int) []byte {
	t.Helper()
	var packed bytes.Buffer
	zip, err := gzip.NewWriterLevel(&packed, gzip.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	part := bytes.Repeat([]byte("a"), 1<<20)
	if strings.HasSuffix(head, "\n") && bytesOfIt > mostBundle {
		part = bytes.Repeat([]byte("{"+strings.Repeat("a", 1022)+"\n"), 1<<10)
	}
	if _, err := zip.Write([]byte(head)); err != nil {
		t.Fatal(err)
	}
	for n := 0; n < bytesOfIt; n += len(part) {
		if _, err := zip.Write(part); err != nil {
			t.Fatal(err)
		}
	}
	if err := zip.Close(); err != nil {
		t.Fatal(err)
	}
	return fmt.Appendf(nil, `<!doctype html><script type="application/x-wayfinder-bundle" id="bundle">%s</script>`, base64.StdEncoding.EncodeToString(packed.Bytes()))
}

// TestInflate: a small file that comes to more than a bundle may is refused in the
// memory of a few copies of the file, wherever in it that shows.
func TestInflate(t *testing.T) {
	chrometest.Long(t)
	for name, c := range map[string]struct {
		head, want string
		bytes      int
	}{
		"more than a bundle":       {`{"wayfinder":"recording","version":1}` + "\n", "more than", mostBundle + 1},
		"something else":           {"", "begin", mostBundle / 2},
		"a line without an ending": {`{"wayfinder":"recording","version":1}` + "\n{", "a line of more than", mostBundle / 2},
	} {
		t.Run(name, func(t *testing.T) {
			file := inflating(t, c.head, c.bytes)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := Read(bytes.NewReader(file))
			runtime.ReadMemStats(&after)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("Read: %v, want an error with %q", err, c.want)
			}
			// io.ReadAll grows by a quarter: five copies of the file. The text of the
			// bundle, and what is unpacked of it, are one more each; the window of
			// gzip and buffers take less than 1 MiB.
			if made, most := after.TotalAlloc-before.TotalAlloc, uint64(8*len(file)+1<<20); made > most {
				t.Errorf("a file of %d bytes took %d, want at most %d", len(file), made, most)
			}
		})
	}
}
