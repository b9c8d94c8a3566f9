// Package engine drives pages for people and programs: it acts on instructions
// in words, finds what can be done, and reads typed data.
//
// # Ten lines
//
//	session, err := engine.Open(ctx, cdp.Launch{}, &engine.Options{Model: model})
//	if err != nil {
//		return err
//	}
//	defer session.Close()
//	page := session.Page()
//	if _, err := page.Navigate(ctx, "https://shop.example/", nil); err != nil {
//		return err
//	}
//	if _, err := page.Act(ctx, "add the first product to the cart", nil); err != nil {
//		return err
//	}
//	total, err := engine.Extract[struct{ Total float64 }](ctx, page, "the cart's total", nil)
//
// # What it promises
//
// An action is reported as done only if it was done: an [ActResult] carries the
// [Evidence], and a fill whose value did not stick is an error. Nothing is done
// twice: once input may have been sent, there is no second try. Input goes to
// the element that was meant, or to none: an element that is covered, disabled,
// moving or gone is an error that says so.
//
// # How it waits
//
// There are no fixed pauses. Before each look at a page the engine waits until
// it is quiet, counted from the last action, so that the wait overlaps with
// whatever the caller or a model did meanwhile.
//
// # Parts
//
// A [Driver] opens browsers (driver/cdp: Chrome; driver/fake: in memory) and an
// [LLM] answers questions (llm/openai, llm/offline and others). Both are small
// interfaces that can be replaced. The engine itself starts no process and
// opens no connection.
package engine

import (
	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/policy"
	"github.com/wayfinder-engine/wayfinder/schema"
)

// The contracts that an embedder names, re-exported so that one import is
// enough.
type (
	// Driver opens browsers. See package driver/cdp for Chrome and
	// driver/fake for the browser in memory.
	Driver = driver.Driver
	// BrowserOptions set up a browser.
	BrowserOptions = driver.BrowserOptions
	// OriginStorage is what a site has stored in a browser.
	OriginStorage = driver.OriginStorage
	// LLM is a language model.
	LLM = llm.Model
	// Schema describes the data to extract.
	Schema = schema.Schema
	// Usage counts the tokens that a model consumed.
	Usage = llm.Usage
	// Policy says which addresses a browser may request.
	Policy = policy.Policy
	// Dialog is a JavaScript dialog; DialogAnswer is the answer to it.
	Dialog       = driver.Dialog
	DialogAnswer = driver.DialogAnswer
	// Offset is a point in CSS pixels; see [Target].
	Offset = driver.Offset
)
