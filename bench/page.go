package main

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
)

// The elements of a page that the rows act on.
const (
	button = "/html[1]/body[1]/button[1]"
	field  = "/html[1]/body[1]/input[1]"
	list   = "/html[1]/body[1]/select[1]"
	box    = "/html[1]/body[1]/input[2]"
)

// source is a page of about n elements: controls to act on, navigation, tables,
// forms, nested boxes, long links, hidden parts, ARIA and pictures.
func source(n int) string {
	var b strings.Builder
	b.WriteString(`<!DOCTYPE html><html lang=en><title>Bench</title><style id=sheet>.hidden{display:none} nav a{padding:4px}</style>
<body><button id=go onclick="this.dataset.n = (this.dataset.n | 0) + 1">Go</button><input id=field aria-label=Field>
<select id=list aria-label=List><option>one<option>two<option>three</select><input id=box type=checkbox aria-label=Box><nav>`)
	for i := range 20 {
		fmt.Fprintf(&b, `<a href="/section/%d">Section %d</a> `, i, i)
	}
	b.WriteString("</nav>")
	for i := 0; i*18 < n-40; i++ {
		fmt.Fprintf(&b, `<div class=card><div><h3>Item %d</h3><p>A description of item %d with <b>some</b> words.</p>
<table><tr><td>Price<td>%d.50<tr><td>Stock<td>%d</table><label>Count <input type=number value=1></label>
<a href="/item/%d?from=a-long-parameter-value-%d">More about item %d</a><span class=hidden>hidden <i>part</i></span>
<div role=button tabindex=0 aria-label="Keep %d"><svg width=9 height=9><path d="M0 0h9v9z"/></svg></div></div></div>`, i, i, i, i%7, i, i, i, i)
	}
	return b.String()
}

// live makes a page what pages mostly are: style sheets with rules that match nothing
// here, a clock, and frames of this process and another.
// elsewhere is an address of another site.
func live(page, elsewhere string) string {
	var b strings.Builder
	for i := range 20 {
		b.WriteString("<style>")
		for k := range 50 {
			fmt.Fprintf(&b, ".theme-%d .part-%d > a:hover, .part-%d[data-open] .row:nth-child(%d){color:#123;margin:%dpx}", i, k, k, k+1, k)
		}
		b.WriteString("</style>")
	}
	b.WriteString(`<p id=clock></p><iframe srcdoc="<button>inside</button>"></iframe><iframe src="` + elsewhere + `"></iframe>
<script>setInterval(() => { clock.textContent = new Date().toLocaleTimeString() }, 1000); setTimeout(() => {}, 1e6)</script>`)
	return page + b.String()
}

// serve serves pages of any number of elements, by address: /1000, /1000?live.
func serve() *httptest.Server {
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, err := strconv.Atoi(strings.Trim(r.URL.Path, "/"))
		if err != nil {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("content-type", "text/html; charset=utf-8")
		page := source(n)
		if r.URL.Query().Has("live") {
			_, port, _ := net.SplitHostPort(r.Host)
			page = live(page, "http://localhost:"+port+"/100")
		}
		fmt.Fprint(w, page)
	}))
}
