package cdp

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// Frames of every kind are captured, and none of them keeps the rest from being.
func TestCaptureOddFrames(t *testing.T) {
	kinds := map[string][2]string{
		"/plain": {"text/plain", "plain text"},
		"/xml":   {"application/xml", "<a><b>xml</b></a>"},
		"/svg":   {"image/svg+xml", `<svg xmlns="http://www.w3.org/2000/svg"><text id="svgtext">svg</text></svg>`},
		"/xhtml": {"application/xhtml+xml", `<html xmlns="http://www.w3.org/1999/xhtml"><head><title>x</title></head><body><p id="xp">xhtml</p></body></html>`},
		"/json":  {"application/json", `{"a":1}`},
		"/deny":  {"text/html", "<p>not in a frame"},
		"/set":   {"text/html", `<frameset cols="*,*"><frame src="/plain"><frame src="/json"></frameset>`},
		"/": {"text/html", `<!doctype html><title>odd</title>
<iframe sandbox="" srcdoc="<button id=sandboxed>s</button>"></iframe>
<iframe src="/plain"></iframe><iframe src="/xml"></iframe><iframe src="/svg"></iframe><iframe src="/xhtml"></iframe><iframe src="/json"></iframe>
<iframe src="/deny"></iframe><iframe src="http://127.0.0.1:1/"></iframe><iframe></iframe><iframe src="/set"></iframe>
<object data="/svg" type="image/svg+xml"></object><embed src="/plain" type="text/html"><iframe hidden srcdoc="<p id=inhidden>h</p>"></iframe>
<p id=last>last</p>`},
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		k, ok := kinds[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		if r.URL.Path == "/deny" {
			w.Header().Set("X-Frame-Options", "DENY")
		}
		w.Header().Set("Content-Type", k[0])
		w.Write([]byte(k[1]))
	}))
	defer server.Close()
	p := visit(t, server.URL+"/")
	c := capture(t, p)
	have := map[string]driver.NodeRef{}
	for k := range c.Documents {
		d := &c.Documents[k]
		for i := range d.Nodes {
			if id, ok := d.Nodes[i].Attr("id"); ok {
				have[id] = d.Ref(int32(i))
			}
		}
	}
	for _, id := range []string{"sandboxed", "svgtext", "xp", "inhidden", "last"} {
		if _, ok := have[id]; !ok {
			t.Errorf("%s is not captured", id)
		}
	}
	if len(c.Documents) < 14 {
		t.Errorf("%d documents, want at least 14: %v", len(c.Documents), c.Notes)
	}
	// Nor do they keep anything else from working.
	revision(t, p)
	activity(t, p)
	if l := locateNode(t, p, have["sandboxed"], true); !l.Reached {
		t.Errorf("sandboxed: %+v", l)
	}
	if l := locateNode(t, p, have["svgtext"], true); !l.Visible {
		t.Errorf("svg: %+v", l)
	}
	if l := locateNode(t, p, have["inhidden"], true); l.Visible {
		t.Errorf("in a hidden frame: %+v", l)
	}
}
