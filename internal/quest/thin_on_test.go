//go:build race

package quest

// thin: under the race detector a step takes ten times as long, so only one
// sequence in 25 is played there, and the search visits one node in ten.
// Without it, every single one is.
const thin = 25
