package policy

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"strconv"
	"syscall"
)

// The parts of SOCKS 5 (RFC 1928) that are spoken here: no authentication, and
// the command to connect.
const (
	socksVersion    = 5
	socksConnect    = 1
	socksIPv4       = 1
	socksName       = 3
	socksIPv6       = 4
	socksOK         = 0
	socksFailed     = 1
	socksNotAllowed = 2
	socksNoHost     = 4
	socksRefused    = 5
	socksNoCommand  = 7
)

// greet takes a client's greeting and returns what it wants to be connected to.
func greet(client io.ReadWriter) (target, error) {
	var head [2]byte
	if _, err := io.ReadFull(client, head[:]); err != nil {
		return target{}, err
	}
	if head[0] != socksVersion {
		return target{}, fmt.Errorf("policy: version %d of SOCKS", head[0])
	}
	methods := make([]byte, head[1])
	if _, err := io.ReadFull(client, methods); err != nil {
		return target{}, err
	}
	if _, err := client.Write([]byte{socksVersion, 0}); err != nil {
		return target{}, err
	}
	var request [4]byte
	if _, err := io.ReadFull(client, request[:]); err != nil {
		return target{}, err
	}
	if request[0] != socksVersion || request[1] != socksConnect {
		_, err := client.Write([]byte{socksVersion, socksNoCommand, 0, socksIPv4, 0, 0, 0, 0, 0, 0})
		return target{}, errors.Join(errors.New("policy: a command of SOCKS that is not served"), err)
	}
	return readTarget(client, request[3])
}

func readTarget(client io.Reader, kind byte) (target, error) {
	size := map[byte]int{socksIPv4: 4, socksIPv6: 16}[kind]
	if kind == socksName {
		var n [1]byte
		if _, err := io.ReadFull(client, n[:]); err != nil {
			return target{}, err
		}
		size = int(n[0])
	}
	data := make([]byte, size+2)
	if _, err := io.ReadFull(client, data); err != nil {
		return target{}, err
	}
	port := strconv.Itoa(int(binary.BigEndian.Uint16(data[size:])))
	if kind == socksName {
		return hostTarget(string(data[:size]), port)
	}
	ip, ok := netip.AddrFromSlice(data[:size])
	if !ok {
		return target{}, errors.New("policy: a kind of address that SOCKS does not have")
	}
	return ipTarget(ip, port), nil
}

// reply answers a client's request.
func reply(err error) []byte {
	code := byte(socksFailed)
	var refused *RefusedError
	var dns *net.DNSError
	switch {
	case err == nil:
		code = socksOK
	case errors.As(err, &refused):
		code = socksNotAllowed
	case errors.As(err, &dns):
		code = socksNoHost
	case errors.Is(err, syscall.ECONNREFUSED):
		code = socksRefused
	}
	return []byte{socksVersion, code, 0, socksIPv4, 0, 0, 0, 0, 0, 0}
}
