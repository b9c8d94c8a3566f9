package engine

import (
	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/policy"
	"github.com/wayfinder-engine/wayfinder/schema"
)

// The contracts that an embedder names, so that he reads one package.
type (
	// Driver opens browsers. See package driver/cdp for Chrome and
	// driver/fake for the browser in memory.
	Driver = driver.Driver
	// BrowserOptions set up a browser.
	BrowserOptions = driver.BrowserOptions
	// LLM is a language model.
	LLM = llm.Model
	// Schema describes the data to extract.
	Schema = schema.Schema
	// Usage is what a model took.
	Usage = llm.Usage
	// Policy says which addresses a browser may ask for.
	Policy = policy.Policy
	// Dialog is a JavaScript dialog, and DialogAnswer what is done with it.
	Dialog       = driver.Dialog
	DialogAnswer = driver.DialogAnswer
	// Offset is a place in CSS pixels; see [Target].
	Offset = driver.Offset
)
