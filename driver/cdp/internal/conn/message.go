package conn

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

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

// parseMessage splits a message of JSON. Its body aliases raw.
func parseMessage(raw []byte) (m message, err error) {
	whole := gjson.ParseBytes(raw)
	if !whole.IsObject() {
		return m, errors.New("a message is no object")
	}
	whole.ForEach(func(name, value gjson.Result) bool {
		switch name.Str {
		case "id":
			m.id = value.Int()
		case "sessionId":
			m.session = strings.Clone(value.Str)
		case "method":
			m.method = strings.Clone(value.Str)
		case "params", "result":
			m.body = raw[value.Index : value.Index+len(value.Raw)]
		case "error":
			err = json.Unmarshal([]byte(value.Raw), &m.failure)
		}
		return err == nil
	})
	return m, err
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
	return gjson.GetBytes(head, "id").Int()
}

// appendCommand writes a command and its terminator. params is JSON, or empty.
func appendCommand(b []byte, id int64, method string, params []byte, session string) []byte {
	b = append(b, `{"id":`...)
	b = strconv.AppendInt(b, id, 10)
	b = append(b, `,"method":"`...)
	b = append(b, method...)
	b = append(b, '"')
	if len(params) > 0 {
		b = append(b, `,"params":`...)
		b = append(b, params...)
	}
	if session != "" {
		b = append(b, `,"sessionId":"`...)
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
