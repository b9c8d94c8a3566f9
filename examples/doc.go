// Package examples has programs to start from. Its tests build each of them and run it
// as a person would.
//
//   - act: by words, stored, and again without a model
//   - extract: the products of a shop as Go values
//   - scraper: a list of several pages as lines of JSON
//   - checkout: an order that asks before it pays
//   - owntool: a tool of your own, with approval
//   - resume: a run that continues after its process was killed
//   - tenants: a service for two customers
//   - mcpclient: the engine as another agent uses it
//   - memory, intest, webapp: tests, without a browser or on Chrome
//   - vendor, ownmodel: a vendor's model, and one of your own
//   - owndriver: a wrapper around a driver
package examples
