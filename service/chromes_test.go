package service

import (
	"errors"
	"testing"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp"
	"github.com/wayfinder-engine/wayfinder/internal/chrometest"
)

// TestChromes: sessions fill a Chrome before another one is started, and one that
// is empty ends, but for the last.
func TestChromes(t *testing.T) {
	_, err := cdp.Find()
	chrometest.Need(t, err)
	s := &Chromes{PerProcess: 1, Spare: time.Millisecond}
	open := func() driver.Browser {
		b, err := s.Open(t.Context(), &driver.BrowserOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	count := func() int {
		s.mu.Lock()
		defer s.mu.Unlock()
		return len(s.all)
	}
	first, second := open(), open()
	if n := count(); n != 2 {
		t.Fatalf("%d Chromes, want one for each session", n)
	}
	if err := first.Close(); err != nil {
		t.Error(err)
	}
	look := time.NewTicker(time.Millisecond)
	defer look.Stop()
	for count() != 1 { // until the empty one's time is over
		<-look.C
	}
	if _, err := second.NewPage(t.Context()); err != nil {
		t.Errorf("the other one's: %v", err)
	}
	if err := second.Close(); err != nil {
		t.Error(err)
	}
	if err := second.Close(); err != nil {
		t.Errorf("closed again: %v", err)
	}
	third := open()
	if n := count(); n != 1 {
		t.Errorf("%d Chromes, want the one that was left", n)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if _, err := third.NewPage(t.Context()); err == nil {
		t.Error("it lives on")
	}
	if _, err := s.Open(t.Context(), &driver.BrowserOptions{}); !errors.Is(err, driver.ErrClosed) {
		t.Errorf("Open after the end = %v", err)
	}
	s = &Chromes{Launch: cdp.Launch{ExecutablePath: "/bin/false"}, PerProcess: 1, Spare: time.Millisecond}
	if _, err := s.Open(t.Context(), &driver.BrowserOptions{}); err == nil || count() != 0 {
		t.Errorf("of a program that is no Chrome: %v, and %d are left", err, count())
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
