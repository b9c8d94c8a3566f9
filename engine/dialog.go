package engine

import (
	"sync/atomic"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// AnswerNextDialog says how the page's next confirm or prompt is answered, in
// place of Options.Dialog, once. Others are answered as before. A further call
// takes the place of one that is not used up.
func (p *Page) AnswerNextDialog(a DialogAnswer) {
	var used atomic.Bool
	p.driver.OnDialog(func(d driver.Dialog) driver.DialogAnswer {
		if (d.Kind == driver.Confirm || d.Kind == driver.Prompt) && used.CompareAndSwap(false, true) {
			return a
		}
		if f := p.session.opts.Dialog; f != nil {
			return f(d)
		}
		return driver.DialogAnswer{Accept: d.Kind == driver.Alert || d.Kind == driver.BeforeUnload}
	})
}
