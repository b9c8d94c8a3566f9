//go:build !race

package axtree_test

const raceDetector = false
