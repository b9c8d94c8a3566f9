package main

import (
	"slices"
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver/cdp"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
)

// A namedDriver is one that --driver names. Everything here that knows several reads
// [drivers].
type namedDriver struct {
	name  string
	about string // what the flag's help says behind the name
	open  func(*settings) engine.Driver
}

// The first is the default. The service's sessions share processes of Chrome; each opens
// a browser of any other kind for itself.
var drivers = []namedDriver{
	{name: inChrome, open: func(s *settings) engine.Driver { return cdp.Launch{Headed: s.headed} }},
	{name: inMemory, about: " (package driver/fake, which runs no scripts)", open: func(*settings) engine.Driver { return fake.Network() }},
}

// The browsers of which single commands know more.
const (
	inChrome = "chrome"
	inMemory = "memory"
)

// driverNamed returns the driver of a name, nil if there is none.
func driverNamed(name string) *namedDriver {
	if i := slices.IndexFunc(drivers, func(d namedDriver) bool { return d.name == name }); i >= 0 {
		return &drivers[i]
	}
	return nil
}

// driverNames lists all of them.
func driverNames() (all []string) {
	for _, d := range drivers {
		all = append(all, d.name)
	}
	return all
}

// driverHelp is what the flag's help says of them.
func driverHelp() string {
	var all []string
	for _, d := range drivers {
		all = append(all, d.name+d.about)
	}
	return "the browser: " + strings.Join(all, ", or ")
}
