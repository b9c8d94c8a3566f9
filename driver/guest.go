package driver

import "context"

// A Host is a [Browser] that lets guests in: clients of others that speak the
// browser's own protocol. A guest sees and touches this browser alone, however
// many there are in the program.
//
// What holds for the browser holds for its guests: [BrowserOptions].Allow and
// Handler, the proxy, and what the pages emulate once the guest has left.
type Host interface {
	Admit(ctx context.Context, o *GuestOptions) (Guest, error)
}

// GuestOptions say what hears of a guest.
type GuestOptions struct {
	// Send gets the messages for the client, in order, on the driver's
	// goroutine. It must not wait, and may keep the message.
	Send func(message []byte)

	// Acted is called with the method of each command that may change a page, as
	// Command is, and must return quickly.
	Acted func(method string)
}

// A Guest is one client's connection to a browser.
type Guest interface {
	// Command takes a message of the client's. What is refused is answered to
	// the client; an error ends the connection. It is not to be called from
	// several goroutines at once.
	Command(message []byte) error

	// Done is closed when the browser has ended the connection.
	Done() <-chan struct{}

	// Close lets go of all that the client has set up. Nothing is sent after
	// that. It may be called again.
	Close()
}
