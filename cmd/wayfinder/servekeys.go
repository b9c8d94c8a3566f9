package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/wayfinder-engine/wayfinder/server"
)

// readKeys returns the keys of the file and of the list.
func (v *serving) readKeys() ([]server.Key, error) {
	keys, err := server.ParseKeys(strings.NewReader(strings.ReplaceAll(v.keys, ",", "\n")))
	if err != nil {
		return nil, usage("--keys: %v", err)
	}
	if v.keysFile != "" {
		file, err := os.Open(v.keysFile)
		if err != nil {
			return nil, missing(fmt.Errorf("the keys cannot be read: %w", err))
		}
		defer file.Close()
		more, err := server.ParseKeys(file)
		if err != nil {
			return nil, usage("%s: %v", v.keysFile, err)
		}
		if len(more) == 0 {
			// Whoever names a file wants keys: nobody is let in by mistake.
			return nil, usage("%s has no key", v.keysFile)
		}
		keys = append(keys, more...)
	}
	for i := range keys {
		keys[i].Limits = v.perKey
	}
	return keys, nil
}
