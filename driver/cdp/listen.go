package cdp

import "github.com/wayfinder-engine/wayfinder/driver"

// Listen implements driver.Browser.
func (b *browser) Listen(fn func(driver.Event)) (stop func()) { return b.listeners.Add(fn) }
