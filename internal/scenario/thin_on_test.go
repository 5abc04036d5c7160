//go:build race

package scenario

// thin: under the race detector a play takes many times as long, so only every
// eleventh disturbance is played there. Without it, every single one is.
const thin = 11
