package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver"

	"github.com/wayfinder-engine/wayfinder/driver/cdp"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/server"
	"github.com/wayfinder-engine/wayfinder/service"
)

// chooseDriver takes the browser in memory where no driver was asked for and no
// Chrome is there.
func (v *serving) chooseDriver(asked bool) {
	if asked || v.cdp != "" {
		return
	}
	if _, err := cdp.Find(); err != nil {
		v.driver = "memory"
		v.logger().Warn("no Chrome was found: pages are opened in memory, and their scripts are not run")
	}
}

// chromes returns the processes that sessions share, none of them started. The caller
// closes it.
func (v *serving) chromes() *service.Chromes {
	shared := &service.Chromes{Launch: cdp.Launch{Headed: v.headed, Logger: v.logger()}, PerProcess: v.perChrome}
	if v.offers {
		shared.Launch.Args = []string{"--enable-features=WebMCP"} // for sessions that ask for it: see BrowserOptions.PageTools
	}
	return shared
}

// driverOr returns what opens the sessions' browsers: the driver that a flag names, or
// shared Chromes.
func (v *serving) driverOr(shared *service.Chromes) driver.Driver {
	switch {
	case v.cdp != "":
		return cdp.Attach{URL: v.cdp, Isolated: true, Logger: v.logger()}
	case v.driver == "memory":
		return fake.Network()
	}
	return shared
}

// allowed is what clients may ask for.
func (v *serving) allowed() server.Allow {
	may := func(name string) bool { return slices.Contains(v.clients, name) }
	return server.Allow{
		ExecutablePath: may("executablePath"), Args: may("args"), IgnoreDefaultArgs: may("ignoreDefaultArgs"),
		ChromiumSandbox: may("chromiumSandbox"), UserDataDir: may("userDataDir"), PreserveUserDataDir: may("preserveUserDataDir"),
		Port: may("port"), DownloadsPath: may("downloadsPath"), CDPURL: may("cdpUrl"), PageTools: may("pageTools"),
	}
}

// profileKeys returns what encrypts profiles; nil: there is no key.
func (v *serving) profileKeys() (*server.SealingKeys, error) {
	text := v.profile.keys
	if v.profile.keyFile == "" && text == "" {
		return nil, nil
	}
	if v.profile.keyFile != "" {
		raw, err := os.ReadFile(v.profile.keyFile)
		if err != nil {
			return nil, missing(fmt.Errorf("the keys of profiles cannot be read: %w", err))
		}
		text = string(raw) + "\n" + text
	}
	keys, err := server.ParseSealingKeys(strings.NewReader(text))
	if err != nil {
		return nil, usage("--profile-key-file, --profile-key: %v", err)
	}
	return keys, nil
}
