package conn

import (
	"bytes"
	"encoding/json"
	"strconv"

	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/cbor"
)

// A message is what Chrome sent: a reply if it has an id, else an event.
type message struct {
	id      int64
	session string
	method  string // of an event
	body    []byte // the result of a reply, the params of an event
	failure *Failure
	binary  bool // body is CBOR, and if it is short the link's
}

// json returns the body as JSON.
func (m *message) json() ([]byte, error) {
	if !m.binary || m.body == nil {
		return m.body, nil
	}
	return cbor.AppendJSON(make([]byte, 0, len(m.body)+len(m.body)/4), m.body)
}

// wire returns the body as it came.
func (m *message) wire() []byte {
	if m.binary && len(m.body) <= pipeBuffer {
		return bytes.Clone(m.body)
	}
	return m.body
}

// parseBinary splits a message of CBOR. Its body aliases raw.
func parseBinary(raw []byte) (message, error) {
	m := message{binary: true}
	var failed []byte
	r := &cbor.Reader{B: raw}
	r.Object(func(name []byte) {
		switch string(name) {
		case "id":
			m.id = int64(r.Int())
		case "sessionId":
			m.session = readText(r)
		case "method":
			m.method = readText(r)
		case "params", "result":
			m.body = r.Skip()
		case "error":
			failed = r.Skip()
		default:
			r.Skip()
		}
	})
	if r.Err != nil || failed == nil {
		return m, r.Err
	}
	why, err := cbor.AppendJSON(nil, failed)
	if err == nil {
		err = json.Unmarshal(why, &m.failure)
	}
	return m, err
}

func readText(r *cbor.Reader) string {
	text, _ := r.Text() // names and ids are ASCII
	return string(text)
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
	if _, err := cbor.Length(head); err == nil {
		r := &cbor.Reader{B: head[cbor.HeaderLength+1:]} // in the map
		if readText(r) != "id" {
			return 0
		}
		return int64(r.Int())
	}
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

// appendBinary writes a command as CBOR. params is CBOR, or empty.
func appendBinary(b []byte, id int64, method string, params []byte, session string) []byte {
	b, at := cbor.Begin(b)
	b = cbor.AppendInt(cbor.AppendText(b, "id"), id)
	b = cbor.AppendText(cbor.AppendText(b, "method"), method)
	if len(params) > 0 {
		b = append(cbor.AppendText(b, "params"), params...)
	}
	if session != "" {
		b = cbor.AppendText(cbor.AppendText(b, "sessionId"), session)
	}
	return cbor.End(b, at)
}
