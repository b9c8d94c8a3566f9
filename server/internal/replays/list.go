package replays

import (
	"strings"
	"time"
)

// A Summary is a session as lists have it.
type Summary struct {
	ID string
	Session
	// Ended is when it did; zero while it is open, and where its process could not
	// say so any more.
	Ended  time.Time
	Latest Latest
}

// Latest is the last call of a session, shortened. Of a session whose process was
// killed it may be one before.
type Latest struct {
	URL    string    `json:"url,omitempty"`   // of its page
	Title  string    `json:"title,omitempty"` // so, too, at the session's end
	Method string    `json:"method,omitempty"`
	Text   string    `json:"text,omitempty"` // what was asked for
	Time   time.Time `json:"time,omitzero"`
}

// longestShown is how many bytes of a text lists have.
const longestShown = 300

func shorten(text string) string {
	if len(text) > longestShown {
		text = strings.ToValidUTF8(text[:longestShown], "") + "…"
	}
	return text
}

// latestOf is an entry as lists have it.
func latestOf(e *Entry) Latest {
	l := Latest{URL: shorten(e.URL), Method: shorten(e.Action.Method), Time: time.UnixMilli(e.Action.Timestamp).UTC()}
	for _, name := range []string{"instruction", "url"} {
		if text, ok := e.Action.Parameters[name].(string); ok && l.Text == "" {
			l.Text = shorten(text)
		}
	}
	return l
}
