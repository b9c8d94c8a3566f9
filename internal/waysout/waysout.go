// Package waysout lists the ways by which something leaves a page in a browser: the
// request destinations of the Fetch standard, and what connects besides. Tests hold
// each of them against what decides about requests.
package waysout

import (
	"crypto/sha1"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// A Way is one by which a page sends something.
type Way struct {
	Name string
	// Script sends it, in the page's world. OUT stands for the address.
	Script string
	// Seen: a handler of requests sees it.
	Seen bool
	// Quiet: a Chromium 156 that we launched does not send it from a page on loopback,
	// held or not.
	Quiet bool
	// Navigates: it loads a document, as a link does, and may pass within a site whatever
	// its address says.
	Navigates bool
}

const (
	post = `{method:'POST',body:'x'}`
	blob = `URL.createObjectURL(new Blob(["fetch('"+location.origin+"OUT',` + post + `)"]))`
)

func form(target string) string {
	return `{const f=document.createElement('form');f.method='post';f.action='OUT';f.target='` + target + `';document.body.append(f);f.submit()}`
}

func element(html string) string {
	return "document.body.insertAdjacentHTML('beforeend',`" + html + "`)"
}

func rules(kind string) string {
	return `{const s=document.createElement('script');s.type='speculationrules';s.textContent='{"` + kind + `":[{"source":"list","urls":["OUT"],"eagerness":"immediate"}]}';document.head.append(s)}`
}

// Ways lists them.
func Ways() []Way {
	return []Way{
		{Name: "speculation rules, prefetch", Script: rules("prefetch"), Quiet: true},
		{Name: "speculation rules, prerender", Script: rules("prerender"), Quiet: true},
		{Name: "fetch", Script: `fetch('OUT',` + post + `)`, Seen: true},
		{Name: "fetch, keepalive", Script: `fetch('OUT',{method:'POST',body:'x',keepalive:true})`, Seen: true},
		{Name: "fetch, no-cors", Script: `fetch('OUT',{method:'POST',body:'x',mode:'no-cors'})`, Seen: true},
		{Name: "fetch, another method", Script: `fetch('OUT',{method:'DELETE'})`, Seen: true},
		{Name: "XMLHttpRequest", Script: `{const r=new XMLHttpRequest();r.open('POST','OUT');r.send('x')}`, Seen: true},
		{Name: "beacon", Script: `navigator.sendBeacon('OUT','x')`, Seen: true},
		{Name: "fetchLater", Script: `fetchLater('OUT',{activateAfter:0,method:'POST',body:'x'})`, Seen: true},
		{Name: "form in a frame", Script: element(`<iframe name=frame></iframe>`) + ";" + form("frame"), Seen: true},
		{Name: "form in a new page", Script: form("_blank"), Seen: true},
		{Name: "form of a srcdoc frame", Script: element(`<iframe srcdoc="<form method=post action='OUT'></form><script>document.forms[0].submit()</script>"></iframe>`), Seen: true},
		{Name: "dedicated worker", Script: `new Worker(` + blob + `)`, Seen: true},
		{Name: "nested worker", Script: `new Worker(URL.createObjectURL(new Blob(["new Worker(URL.createObjectURL(new Blob([\"fetch('"+location.origin+"OUT',{method:'POST',body:'x'})\"])))"])))`, Seen: true},
		{Name: "shared worker", Script: `new SharedWorker(` + blob + `)`},
		{Name: "service worker", Script: `navigator.serviceWorker.register('/service.js?OUT',{scope:'/service'})`, Seen: true},
		{Name: "background sync", Script: `navigator.serviceWorker.register('/sync.js?OUT',{scope:'/sync'}).then(r=>new Promise(f=>{const w=r.installing||r.active;if(w.state=='activated')f(r);w.onstatechange=()=>w.state=='activated'&&f(r)})).then(r=>r.sync.register('a'))`, Seen: true},
		{Name: "background fetch", Script: `navigator.serviceWorker.register('/idle.js',{scope:'/idle'}).then(r=>r.backgroundFetch.fetch('x',[new Request('OUT',` + post + `)]))`, Quiet: true},
		{Name: "hyperlink auditing", Script: `{const a=document.createElement('a');a.href='#x';a.ping='OUT';document.body.append(a);a.click()}`, Quiet: true},
		{Name: "report of a policy", Script: element(`<iframe src='/reports?OUT'></iframe>`), Seen: true},
		{Name: "attribution", Script: `{const i=new Image();i.setAttribute('attributionsrc','OUT');i.src='data:image/gif;base64,R0lGODlhAQABAAAAACw='}`, Quiet: true},
		{Name: "WebSocket", Script: `new WebSocket(location.origin.replace('http','ws')+'OUT').onopen=function(){this.send('x')}`},
		{Name: "WebSocket of a worker", Script: `new Worker(URL.createObjectURL(new Blob(["new WebSocket('"+location.origin.replace('http','ws')+"OUT').onopen=function(){this.send('x')}"])))`},
		{Name: "WebSocket of a worker with an address", Script: `new Worker('/socket.js?OUT')`},
		{Name: "WebSocket of a shared worker", Script: `new SharedWorker('/socket.js?OUT')`},
		{Name: "WebSocket of a service worker", Script: `navigator.serviceWorker.register('/socket.js?OUT',{scope:'/socket'})`},
		{Name: "WebSocket of a frame", Script: element("<iframe srcdoc=\"<script>new WebSocket(parent.location.origin.replace('http','ws')+'OUT').onopen=function(){this.send('x')}</script>\"></iframe>")},
		{Name: "WebSocketStream", Script: `new WebSocketStream(location.origin.replace('http','ws')+'OUT').opened.then(o=>o.writable.getWriter().write('x'))`},
		{Name: "HEAD", Script: `fetch('OUT',{method:'HEAD'})`, Seen: true},
		{Name: "OPTIONS", Script: `fetch('OUT',{method:'OPTIONS'})`, Seen: true},
		{Name: "EventSource", Script: `new EventSource('OUT')`, Seen: true},
		{Name: "image", Script: `new Image().src='OUT'`, Seen: true},
		{Name: "SVG image", Script: element(`<svg><image href="OUT"/></svg>`), Seen: true},
		{Name: "prefetch", Script: element(`<link rel=prefetch href='OUT'>`), Seen: true},
		{Name: "preload", Script: element(`<link rel=preload as=fetch href='OUT'>`), Seen: true},
		{Name: "modulepreload", Script: element(`<link rel=modulepreload href='OUT'>`), Seen: true},
		{Name: "style", Script: element(`<link rel=stylesheet href='OUT'>`), Seen: true},
		{Name: "picture of a style", Script: element(`<p style="background:url('OUT')">x</p>`), Seen: true},
		{Name: "font", Script: `new FontFace('x','url(OUT)').load()`, Seen: true},
		{Name: "script", Script: `{const s=document.createElement('script');s.src='OUT';document.head.append(s)}`, Seen: true},
		{Name: "import", Script: `import('OUT')`, Seen: true},
		{Name: "manifest", Script: element(`<link rel=manifest href='OUT'>`), Quiet: true},
		{Name: "video", Script: element(`<video src='OUT'></video>`), Seen: true},
		{Name: "track", Script: element(`<video src='data:video/mp4,x'><track default src='OUT'></video>`), Seen: true},
		{Name: "object", Script: element(`<object data='OUT'></object>`), Seen: true, Navigates: true},
		{Name: "embed", Script: element(`<embed src='OUT'>`), Seen: true, Navigates: true},
		{Name: "frame", Script: element(`<iframe src='OUT'></iframe>`), Seen: true, Navigates: true},
		{Name: "popup", Script: `open('OUT')`, Seen: true, Navigates: true},
		{Name: "download", Script: `{const a=document.createElement('a');a.href='OUT';a.download='x';document.body.append(a);a.click()}`, Seen: true, Navigates: true},
		{Name: "shared dictionary", Script: element(`<link rel=compression-dictionary href='OUT'>`), Seen: true},
	}
}

// A Site serves a page from which the ways are tried, and remembers what arrived.
// Addresses below /out/ are those where something may arrive.
type Site struct {
	// Page is the markup of the page at /.
	Page string

	mu  sync.Mutex // protects got
	got []string
}

// Arrived are the methods and addresses below /out/ that arrived, sorted, each once.
func (s *Site) Arrived() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := slices.Clone(s.got)
	slices.Sort(out)
	return slices.Compact(out)
}

var scripts = map[string]string{
	"/service.js": `self.oninstall=()=>fetch('OUT',` + post + `)`,
	"/sync.js":    `self.onsync=e=>e.waitUntil(fetch('OUT',` + post + `))`,
	"/idle.js":    ``,
	"/socket.js":  `new WebSocket(location.origin.replace('http','ws')+'OUT').onopen=function(){this.send('x')}`,
}

// ServeHTTP implements http.Handler.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if script, ok := scripts[r.URL.Path]; ok {
		w.Header().Set("Content-Type", "text/javascript")
		_, _ = io.WriteString(w, strings.ReplaceAll(script, "OUT", r.URL.RawQuery)) // a reader that is gone is no matter of ours
		return
	}
	if strings.HasPrefix(r.URL.Path, "/out/") {
		if r.Header.Get("Upgrade") == "websocket" {
			s.socket(w, r)
			return
		}
		s.note(r.Method, r)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if r.URL.Path == "/reports" {
		w.Header().Set("Content-Security-Policy-Report-Only", "img-src 'none'; report-uri "+r.URL.RawQuery)
		_, _ = io.WriteString(w, "<img src=/picture>")
		return
	}
	_, _ = io.WriteString(w, "<!doctype html><link rel=icon href='data:,'>"+s.Page)
}

func (s *Site) note(method string, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.got = append(s.got, method+" "+r.URL.Path)
}

// socket accepts a WebSocket (RFC 6455 §4.2.2) and waits for a message.
func (s *Site) socket(w http.ResponseWriter, r *http.Request) {
	sum := sha1.Sum([]byte(r.Header.Get("Sec-WebSocket-Key") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
	c, buf, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer c.Close()
	fmt.Fprintf(buf, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: %s\r\n\r\n", base64.StdEncoding.EncodeToString(sum[:]))
	if buf.Flush() != nil {
		return
	}
	if n, _ := c.Read(make([]byte, 100)); n > 0 {
		s.note("message", r)
	}
}
