package wayfindertest_test

import "testing"

// TestShownGolden runs the test that the package's example shows.
func TestShownGolden(t *testing.T) { goldenTest(t) }
