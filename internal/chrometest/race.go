//go:build race

package chrometest

// RaceDetector says that the tests run with it, several times as slowly.
const RaceDetector = true
