package cdp

import (
	"net"
	"strings"
	"testing"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// gather has WebRTC look for ways to the outside. Where none is open to it, it
// never says that it is done; a packet to this machine takes milliseconds.
const gather = `(async () => {
	const c = new RTCPeerConnection({iceServers: [{urls: "stun:SERVER"}]});
	c.createDataChannel("x");
	await c.setLocalDescription(await c.createOffer());
	await new Promise(resolve => setTimeout(resolve, 1000));
	c.close();
})()`

// A browser that has a proxy sends nothing past it by WebRTC, whatever else is
// asked of its flags.
func TestWebRTCStaysBehindTheProxy(t *testing.T) {
	testChrome(t)
	proxy := &driver.Proxy{Server: "socks5://127.0.0.1:9", Bypass: "127.0.0.1"}
	for name, tt := range map[string]struct {
		launch Launch
		proxy  *driver.Proxy
		sent   bool
	}{
		"no proxy":                    {Launch{}, nil, true},
		"proxy":                       {Launch{}, proxy, false},
		"proxy, its flags left out":   {Launch{IgnoreDefaultArgs: []string{"--webrtc-ip-handling-policy", "--force-webrtc-ip-handling-policy"}}, proxy, false},
		"proxy, all flags overridden": {Launch{Args: []string{"--force-webrtc-ip-handling-policy=default", "--webrtc-ip-handling-policy=default"}}, proxy, false},
	} {
		t.Run(name, func(t *testing.T) {
			stun, err := net.ListenPacket("udp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer stun.Close()
			b, err := tt.launch.Open(t.Context(), &driver.BrowserOptions{Proxy: tt.proxy})
			if err != nil {
				t.Fatal(err)
			}
			defer b.Close()
			p := b.Pages()[0]
			goTo(t, p.(*page), site{"/": "x"}.serve(t))
			script := strings.Replace(gather, "SERVER", stun.LocalAddr().String(), 1)
			if _, err := p.Evaluate(t.Context(), script, &driver.EvaluateOptions{World: driver.Main}); err != nil {
				t.Fatal(err)
			}
			_ = stun.SetReadDeadline(time.Now().Add(10 * time.Millisecond)) // what came is there already
			n, _, err := stun.ReadFrom(make([]byte, 1500))
			if sent := err == nil && n > 0; sent != tt.sent {
				t.Errorf("a packet was sent: %v, want %v (%v)", sent, tt.sent, err)
			}
		})
	}
}
