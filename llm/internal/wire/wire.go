// Package wire plays the servers of vendors whose models more than one adapter
// reaches, for the adapters' tests. It is as strict as the vendors are.
package wire

import (
	"bytes"
	"strings"
)

// insert puts a piece of a text, which may be torn, into JSON that says PIECE
// where it belongs. encoding/json would not write it as it is.
func insert(raw []byte, piece string) []byte {
	escaped := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(piece)
	return bytes.Replace(raw, []byte("PIECE"), []byte(escaped), 1)
}
