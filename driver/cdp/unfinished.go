package cdp

import (
	"context"
	"errors"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// The methods of this file are on their way; each moves out as it is written.

// Those below belong to capture, finding and acting.

func (p *page) Screenshot(ctx context.Context, opts *driver.ScreenshotOptions) ([]byte, error) {
	return nil, errors.ErrUnsupported
}
func (p *page) Activity(ctx context.Context) (*driver.Activity, error) {
	return nil, errors.ErrUnsupported
}
func (p *page) Input(ctx context.Context, events ...driver.InputEvent) error {
	return errors.ErrUnsupported
}
func (p *page) Focus(ctx context.Context, node driver.NodeRef) error { return errors.ErrUnsupported }
func (p *page) SelectText(ctx context.Context, node driver.NodeRef) error {
	return errors.ErrUnsupported
}
func (p *page) SetValue(ctx context.Context, node driver.NodeRef, values ...string) ([]string, error) {
	return nil, errors.ErrUnsupported
}
func (p *page) SetFiles(ctx context.Context, node driver.NodeRef, paths ...string) error {
	return errors.ErrUnsupported
}
func (p *page) ScrollTo(ctx context.Context, node driver.NodeRef, to driver.ScrollTarget) (driver.ScrollState, error) {
	return driver.ScrollState{}, errors.ErrUnsupported
}
func (p *page) State(ctx context.Context, node driver.NodeRef) (*driver.State, error) {
	return nil, errors.ErrUnsupported
}
