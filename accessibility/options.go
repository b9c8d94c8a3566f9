package accessibility

import "github.com/wayfinder-engine/wayfinder/driver"

// Options refine Build. The zero value takes the whole page, without limit.
type Options struct {
	// Scope keeps only these elements and their descendants. Elements that are
	// not in the capture keep nothing.
	Scope []driver.NodeRef
	// Ignore leaves out these elements and their descendants. It wins over Scope.
	Ignore []driver.NodeRef
	// MainFrame leaves the content of frames out; the frames themselves stay.
	MainFrame bool
	// MaxTokens bounds the outline, by the estimate of [Tokens]; 0 is no limit.
	// One line takes the place of each part that is left out. Nodes, Text, Lookup and
	// Search are not affected: a ref that the outline had no room for is still good.
	MaxTokens int
	// Whole makes the outline show texts, values and lists of options in full,
	// however long; without it the longest are shortened. MaxTokens still
	// shortens them.
	Whole bool
	// URLs makes the outline show where links go.
	URLs bool
	// Mask, if not nil, rewrites each name, value, description and option
	// before a line shows it: to hide what a reader must not see. Nodes, Text,
	// Lookup and Search are not affected. It may be called from several
	// goroutines at once.
	Mask func(string) string
}

// mask rewrites a text by the caller's Mask.
func (o *Options) mask(text string) string {
	if o.Mask == nil || text == "" {
		return text
	}
	return o.Mask(text)
}
