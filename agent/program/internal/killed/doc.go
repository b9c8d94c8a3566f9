// Package killed holds tests alone: runs whose process is killed at each point, and
// that another process recovers. They stand below package program, since some of the
// runs write programs.
package killed
