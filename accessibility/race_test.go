//go:build race

package accessibility_test

// raceDetector: the tests run with it, several times as slowly.
const raceDetector = true
