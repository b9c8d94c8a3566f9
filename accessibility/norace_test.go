//go:build !race

package accessibility_test

const raceDetector = false
