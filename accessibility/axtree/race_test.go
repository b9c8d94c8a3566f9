//go:build race

package axtree_test

// raceDetector: the tests run with it, several times as slowly.
const raceDetector = true
