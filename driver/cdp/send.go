package cdp

import (
	"context"
	"errors"
	"fmt"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// Send sends one command of the DevTools protocol to the process that renders
// a frame of a page, the main frame if frame is zero, and decodes its result
// into result, unless that is nil. params is anything that encodes to the
// command's parameters as JSON, or nil.
//
// It is the way past the driver, for what it has no method for. The driver
// does not notice what a command changes: do not turn off a domain, and do not
// navigate. page must be one of this package's; any other is
// [errors.ErrUnsupported].
func Send(ctx context.Context, at driver.Page, frame driver.FrameID, method string, params, result any) error {
	p, ok := at.(*page)
	if !ok {
		return fmt.Errorf("cdp: send %s to a %T: %w", method, at, errors.ErrUnsupported)
	}
	if params == nil {
		params = struct{}{}
	}
	_, state, err := p.worldOf(ctx, frame, driver.Isolated)
	if err != nil {
		return opError("send", string(frame), err)
	}
	return opError("send", string(frame), state.session.Call(ctx, method, params, result))
}
