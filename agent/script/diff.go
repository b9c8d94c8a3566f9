package script

import "github.com/aymanbagabas/go-udiff"

// Diff shows what is different between two scripts, as a unified diff of their
// JSON, with the names in its head. It is empty if they are the same.
func Diff(oldName, newName string, was, now *Script) string {
	return udiff.Unified(oldName, newName, was.String(), now.String())
}
