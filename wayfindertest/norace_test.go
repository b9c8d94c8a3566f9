//go:build !race

package wayfindertest_test

// raceDetector: the tests run with it, several times as slowly.
const raceDetector = false
