package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
)

// TestFaultEndsTheConnection: the connection is over before the error that says why
// can be read. A call sent on it in between would be cut off, its outcome unknown.
func TestFaultEndsTheConnection(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var req struct{ ID json.RawMessage }
		_ = json.NewDecoder(r.Body).Decode(&req)
		if len(req.ID) == 0 {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}`, req.ID)
	}))
	defer site.Close()
	for range 100 {
		c, err := dial(t.Context(), HTTP{URL: site.URL}, lastLegacy)
		if err != nil {
			t.Fatal(err)
		}
		_ = c.guard.blame(errors.New("it sends without end"))
		alive := c.alive()
		_ = c.close() // the fault is what it would say
		if alive {
			t.Fatal("the connection counts as alive after its server's fault")
		}
	}
}
