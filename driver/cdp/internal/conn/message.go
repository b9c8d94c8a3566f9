package conn

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// A message is what Chrome sent: a reply if it has an id, else an event.
type message struct {
	id      int64
	session string
	method  string // of an event
	body    []byte // the result of a reply, the params of an event
	failure *Failure
}

// A failure is Chrome's own account of a command that it refused.
type Failure struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    string `json:"data"`
}

var (
	headID     = []byte(`{"id":`)
	headResult = []byte(`,"result":`)
	headMethod = []byte(`{"method":"`)
	headParams = []byte(`","params":`)
	tailMark   = []byte(`,"sessionId":"`)
)

// parseMessage splits a message without decoding its body, which aliases raw.
// Chrome writes the members in one order; whatever else comes is decoded
// properly.
func parseMessage(raw []byte) (message, error) {
	if m, ok := splitMessage(raw); ok {
		return m, nil
	}
	var full struct {
		ID        int64           `json:"id"`
		SessionID string          `json:"sessionId"`
		Method    string          `json:"method"`
		Params    json.RawMessage `json:"params"`
		Result    json.RawMessage `json:"result"`
		Error     *Failure        `json:"error"`
	}
	if err := json.Unmarshal(raw, &full); err != nil {
		return message{}, err
	}
	m := message{id: full.ID, session: full.SessionID, method: full.Method, failure: full.Error}
	if m.body = full.Result; m.method != "" {
		m.body = full.Params
	}
	return m, nil
}

// splitMessage is the quick way of parseMessage: it looks at both ends alone.
func splitMessage(raw []byte) (m message, ok bool) {
	rest, session, ok := cutSession(raw)
	if !ok {
		return m, false
	}
	m.session = session
	if after, found := bytes.CutPrefix(rest, headID); found {
		n := bytes.IndexByte(after, ',')
		if n < 0 || !bytes.HasPrefix(after[n:], headResult) {
			return m, false
		}
		id, err := strconv.ParseInt(string(after[:n]), 10, 64)
		if err != nil {
			return m, false
		}
		m.id, m.body = id, after[n+len(headResult):]
		return m, isObject(m.body)
	}
	if after, found := bytes.CutPrefix(rest, headMethod); found {
		n := bytes.IndexByte(after, '"')
		if n < 0 || !bytes.HasPrefix(after[n:], headParams) {
			return m, false
		}
		m.method, m.body = string(after[:n]), after[n+len(headParams):]
		return m, isObject(m.body)
	}
	return m, false
}

// cutSession takes the closing brace off a message, and the session id in
// front of it if the message, and not something within it, has one: then an
// object ends just before.
func cutSession(raw []byte) (rest []byte, session string, ok bool) {
	rest, ok = bytes.CutSuffix(raw, []byte{'}'})
	if !ok {
		return nil, "", false
	}
	inner, quoted := bytes.CutSuffix(rest, []byte{'"'})
	if !quoted {
		return rest, "", true
	}
	at := bytes.LastIndexByte(inner, '"') + 1
	before, marked := bytes.CutSuffix(inner[:at], tailMark)
	if !marked || !bytes.HasSuffix(before, []byte{'}'}) {
		return nil, "", false
	}
	return before, string(inner[at:]), true
}

func isObject(b []byte) bool {
	return len(b) >= 2 && b[0] == '{' && b[len(b)-1] == '}'
}

// idOf reads the id of a message of which only the beginning is there; 0 if it is no reply.
func idOf(head []byte) int64 {
	after, ok := bytes.CutPrefix(head, headID)
	if !ok {
		return 0
	}
	n := bytes.IndexByte(after, ',')
	if n < 0 {
		return 0
	}
	id, err := strconv.ParseInt(string(after[:n]), 10, 64)
	if err != nil {
		return 0
	}
	return id
}

// appendCommand writes a command and its terminator. params is JSON, or empty.
func appendCommand(b []byte, id int64, method string, params []byte, session string) []byte {
	b = append(b, headID...)
	b = strconv.AppendInt(b, id, 10)
	b = append(b, `,"method":"`...)
	b = append(b, method...)
	b = append(b, '"')
	if len(params) > 0 {
		b = append(b, `,"params":`...)
		b = append(b, params...)
	}
	if session != "" {
		b = append(b, tailMark...)
		b = append(b, session...)
		b = append(b, '"')
	}
	return append(b, '}', 0)
}
