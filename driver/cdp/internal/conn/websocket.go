package conn

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

// A socket is the link to a Chrome that listens on a port.
//
// Chrome takes no message in several frames, and the library cuts one up that
// is larger than a buffer which it keeps for good. So frames are written here;
// the library connects and reads.
type socket struct {
	conn *websocket.Conn
	once sync.Once

	mu sync.Mutex // held while a frame is written
}

// Dial connects to the browser endpoint at a ws:// or wss:// address.
func Dial(ctx context.Context, address string, header http.Header) (Link, error) {
	d := websocket.Dialer{
		Proxy:            http.ProxyFromEnvironment,
		HandshakeTimeout: CommandLimit,
		ReadBufferSize:   1 << 16,
	}
	conn, res, err := d.DialContext(ctx, address, header)
	if err != nil {
		if res != nil {
			err = fmt.Errorf("%w (%s)", err, res.Status)
		}
		return nil, err
	}
	s := &socket{conn: conn}
	conn.SetPingHandler(func(data string) error { return s.write(websocket.PongMessage, []byte(data)) })
	conn.SetCloseHandler(func(int, string) error { return nil })
	return s, nil
}

// prompt: a write that was given up leaves the connection in pieces.
func (s *socket) prompt() bool { return false }
func (s *socket) binary() bool { return false }

func (s *socket) send(messages []byte, deadline time.Time) (int, error) {
	if err := s.conn.NetConn().SetWriteDeadline(deadline); err != nil {
		return 0, err
	}
	done := 0
	for len(messages) > done {
		end := done + bytes.IndexByte(messages[done:], 0)
		if err := s.write(websocket.TextMessage, messages[done:end]); err != nil {
			return done, err
		}
		done = end + 1
	}
	return done, nil
}

// write sends one message in one frame (RFC 6455 §5.2).
func (s *socket) write(kind int, message []byte) error {
	var key [4]byte
	binary.NativeEndian.PutUint32(key[:], rand.Uint32())
	frame := append(make([]byte, 0, len(message)+14), 0x80|byte(kind))
	switch n := len(message); {
	case n < 126:
		frame = append(frame, 0x80|byte(n))
	case n <= math.MaxUint16:
		frame = binary.BigEndian.AppendUint16(append(frame, 0x80|126), uint16(n))
	default:
		frame = binary.BigEndian.AppendUint64(append(frame, 0x80|127), uint64(n))
	}
	frame = append(frame, key[:]...)
	for i, c := range message {
		frame = append(frame, c^key[i%4])
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err := s.conn.NetConn().Write(frame)
	return err
}

func (s *socket) receive(limit int) ([]byte, error) {
	_, r, err := s.conn.NextReader()
	if err != nil {
		return nil, err
	}
	var message bytes.Buffer
	n, err := message.ReadFrom(io.LimitReader(r, int64(limit)+1))
	switch {
	case err != nil:
		return nil, err
	case n <= int64(limit):
		return message.Bytes(), nil
	}
	if _, err := io.Copy(io.Discard, r); err != nil {
		return nil, err
	}
	return message.Bytes()[:min(headLength, limit)], errOverLimit
}

func (s *socket) Close() (err error) {
	s.once.Do(func() { err = s.conn.Close() })
	return err
}
