// Package drivertest is the conformance suite that every driver passes.
//
// What package driver promises in prose is here as cases. A case has a name,
// the rule that it checks, where the rule is written, and the check. The rule
// is printed when the check fails, so a failure can be read without the
// suite's source. A new driver's own test is short:
//
//	func TestConformance(t *testing.T) {
//		chrome := start(t)
//		drivertest.Run(t, drivertest.Harness{
//			Driver:   func(*drivertest.Site) driver.Driver { return chrome },
//			Loopback: true,
//			Scripts:  true,
//		})
//	}
//
// The fixtures hold no script. Where a rule needs a page that does something
// (shows a dialog, removes a node), the fixture's [Behavior] says what, as
// data. For a driver that runs scripts the suite turns them into a script; the
// harness of another driver registers them in its own way.
//
// A driver that differs from a rule says so in [Harness].Differences, with the
// reason. The list is tight: a case that is listed and passes is a failure.
package drivertest
