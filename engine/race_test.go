//go:build race

package engine_test

// raceDetector: the tests run with it, several times as slowly.
const raceDetector = true
