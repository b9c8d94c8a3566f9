package fake

import (
	"io"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/recording"
)

// FromRecording returns a driver that plays a bundle of package recording, as
// 'wayfinder record' writes one: the pages that were shown, also those that
// scripts made, as they were at each look, and the same effects of the same
// actions. What was not recorded is an error that wraps
// [recording.ErrNotRecorded].
func FromRecording(r io.Reader) (driver.Driver, error) {
	rec, err := recording.Read(r)
	if err != nil {
		return nil, err
	}
	return rec.Driver(), nil
}
