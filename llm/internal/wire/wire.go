// Package wire plays the servers of vendors whose models more than one adapter
// reaches, for the adapters' tests. It is as strict as the vendors are.
package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

func writeJSON(w http.ResponseWriter, status int, v any) {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	w.Write(raw) // the client may be gone
}

// strictly decodes what a server takes, and nothing else.
func strictly(raw []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		return fmt.Errorf("%w in %s", err, raw)
	}
	return nil
}

// insert puts a piece of a text, which may be torn, into JSON that says PIECE
// where it belongs. encoding/json would not write it as it is.
func insert(raw []byte, piece string) []byte {
	escaped := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(piece)
	return bytes.Replace(raw, []byte("PIECE"), []byte(escaped), 1)
}
