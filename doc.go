// Package wayfinder is the front page of a browser-agent engine that Go
// programs embed. It opens a page in a real browser, reads it as an
// accessibility outline that a language model can use, and acts on it.
//
// The module has no code at its root. Begin here:
//
//   - [github.com/wayfinder-engine/wayfinder/engine] is what a program embeds:
//     sessions and pages with Act, Do, Observe and Extract.
//   - [github.com/wayfinder-engine/wayfinder/driver/cdp] opens Chrome, Chromium
//     and Edge over the DevTools protocol.
//   - [github.com/wayfinder-engine/wayfinder/llm/openai] asks OpenAI's models and
//     any server that speaks their protocol, its neighbours ask other vendors';
//     [github.com/wayfinder-engine/wayfinder/llm/offline] needs no model at all.
//   - [github.com/wayfinder-engine/wayfinder/server] serves sessions over HTTP.
//   - [github.com/wayfinder-engine/wayfinder/wayfindertest] and
//     [github.com/wayfinder-engine/wayfinder/driver/fake] test what you build.
//
// A first program:
//
//	session, err := engine.Open(ctx, cdp.Launch{}, &engine.Options{Model: offline.New()})
//	if err != nil {
//		log.Fatal(err)
//	}
//	defer session.Close()
//	page := session.Page()
//	page.Navigate(ctx, "https://example.com/", nil)
//	result, err := page.Act(ctx, "click More information", nil)
//
// The author of a driver reads
// [github.com/wayfinder-engine/wayfinder/driver]; the author of a model reads
// [github.com/wayfinder-engine/wayfinder/llm]. What the engine reads of a page
// is made by [github.com/wayfinder-engine/wayfinder/accessibility], and the
// form of data by [github.com/wayfinder-engine/wayfinder/schema].
package wayfinder
