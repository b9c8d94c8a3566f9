// Package verdict judges whether what a run did covers what its instruction asks
// for. It knows words and steps, no page and no model: the same input has the same
// verdict.
//
// Where words do not decide, a part is open: nothing is guessed.
package verdict
