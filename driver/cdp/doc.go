// Package cdp drives Chrome, Chromium and Edge over the DevTools protocol.
//
// # Three ways to a browser
//
// [Launch] starts a Chrome for each browser. It is spoken to over a pipe, so
// there is no port that others on the machine could find, and it ends when the
// program ends, even if that is killed:
//
//	b, err := cdp.Launch{}.Open(ctx, &driver.BrowserOptions{})
//	if err != nil {
//		return err
//	}
//	defer b.Close()
//	res, err := b.Pages()[0].Navigate(ctx, "https://example.com", nil)
//
// [Start] runs one [Chrome] for many browsers, which share the program and
// nothing else. Opening one takes tens of milliseconds:
//
//	chrome, err := cdp.Start(ctx, cdp.Launch{})
//	if err != nil {
//		return err
//	}
//	defer chrome.Close()
//	b, err := chrome.Open(ctx, &driver.BrowserOptions{Proxy: &driver.Proxy{Server: "http://proxy:8080"}})
//
// [Attach] reaches a Chrome that somebody else has started, and takes over
// its own profile with the pages that are open there; with Isolated it makes a
// browser of its own within it:
//
//	b, err := cdp.Attach{URL: "http://127.0.0.1:9222"}.Open(ctx, &driver.BrowserOptions{})
//
// # Which Chrome
//
// [Find] says: the one that WAYFINDER_CHROME or CHROME_PATH names, else the
// first on PATH, else one in the usual places of the system. A missing one is
// a [*NotFoundError], which says where it was looked for.
//
// As root, and in containers that allow no user namespaces, Chrome's sandbox
// cannot work; it is then left off, and Launch.Logger says so. Where shared
// memory is small, as in containers, files take its place. Launch.Sandbox
// overrules the first.
//
// # Profiles
//
// Each launch has a temporary profile, which Close removes. What a killed
// program leaves is removed at the next start of any program with this
// package: a directory is known by its name and by a lock that its owner holds
// as long as it lives, so those of running programs and of strangers stay.
//
// # Events and calls
//
// One goroutine reads the connection. It delivers an event to the listeners of
// [driver.Browser] before it hands out the answer that came behind it. By the
// time Input returns, a caller knows what the click did.
//
// Pages and frames in processes of their own, popups among them, are held
// before their first byte until they are set up, in one write.
//
// # Limits
//
// A command under a context without a deadline ends after 30 s. Chrome sends
// no answer over about 256 MB, and takes no command over 100 MB: the first
// ends by its deadline, the second is refused with [driver.ErrTooLarge].
//
// BrowserOptions.Allow sees the requests of pages, frames and workers of all
// kinds. It does not see WebSocket and WebRTC connections, which Chrome does
// not hold up for anybody.
//
// Two pages of one renderer process share its locale and time zone: a page's
// Emulate may not be able to give them different ones.
package cdp
