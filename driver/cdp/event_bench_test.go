package cdp

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// aRequest is an event as Chrome writes it.
const aRequest = `{"requestId":"12345.67","loaderId":"D0C0F3C1A7B64E1B8F3A1C2D3E4F5A6B","documentURL":"https://example.test/a/long/path?with=a&query=string","request":{"url":"https://example.test/static/app.0123456789.js?\u0026v=2","method":"GET","headers":{"sec-ch-ua":"\"Chromium\";v=\"156\", \"Not?A_Brand\";v=\"24\"","sec-ch-ua-mobile":"?0","sec-ch-ua-platform":"\"Linux\"","Referer":"https://example.test/","User-Agent":"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/156.0.0.0 Safari/537.36","Accept-Language":"en-US"},"mixedContentType":"none","initialPriority":"High","referrerPolicy":"strict-origin-when-cross-origin","isSameSite":true,"isAdRelated":false},"timestamp":123456.789012,"wallTime":1764000000.123456,"initiator":{"type":"parser","url":"https://example.test/","lineNumber":12,"columnNumber":34,"stack":{"callFrames":[{"functionName":"load","scriptId":"7","url":"https://example.test/boot.js","lineNumber":1,"columnNumber":2},{"functionName":"","scriptId":"7","url":"https://example.test/boot.js","lineNumber":3,"columnNumber":4}]}},"redirectHasExtraInfo":false,"type":"Script","frameId":"F0A1B2C3D4E5F60718293A4B5C6D7E8F","hasUserGesture":false,"renderBlockingBehavior":"Blocking"}`

const aResponse = `{"requestId":"12345.67","loaderId":"D0C0","timestamp":1.5,"type":"Document","response":{"url":"https://example.test/","status":404,"statusText":"Not \"Found\"","headers":{"content-type":"text/html","set-cookie":"a=1\nb=2","x-\u00e4":"\ud83d\ude00"},"mimeType":"text/html","fromDiskCache":true},"hasExtraInfo":true,"frameId":"F0"}`

const aPause = `{"requestId":"interception-job-1.0","request":{"url":"https://example.test/","method":"POST","headers":{"a":"b"}},"frameId":"F0","resourceType":"XHR","networkId":"N1","redirectedRequestId":"interception-job-0.0"}`

// Events that read themselves have the members that encoding/json finds.
func TestEventsRead(t *testing.T) {
	c, ours := &Chrome{}, cmpopts.IgnoreUnexported(requestPaused{}, requestWillBeSent{}) // what encoding/json does not see
	redirected := strings.Replace(aRequest, `"timestamp"`, `"redirectResponse":{"url":"x","status":302},"timestamp"`, 1)
	for raw, pair := range map[string][2]any{
		aRequest:   {&requestWillBeSent{}, &requestWillBeSent{}},
		redirected: {&requestWillBeSent{}, &requestWillBeSent{}},
		aResponse:  {&responseReceived{}, &responseReceived{}},
		aPause:     {&requestPaused{}, &requestPaused{}},
	} {
		if err := json.Unmarshal([]byte(raw), pair[1]); err != nil {
			t.Fatal(err)
		}
		if c.read("", []byte(raw), pair[0]); !cmp.Equal(pair[0], pair[1], ours) {
			t.Errorf("%T: %s", pair[0], cmp.Diff(pair[1], pair[0], ours))
		}
	}
}

func BenchmarkReadEvent(b *testing.B) {
	c, raw := &Chrome{}, []byte(aRequest)
	b.Run("gjson", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			c.read("", raw, &requestWillBeSent{})
		}
	})
	b.Run("encoding/json", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := json.Unmarshal(raw, &requestWillBeSent{}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
