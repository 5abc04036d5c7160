//go:build race

package scenario

// thin: under the race detector a play takes many times as long, so only one
// disturbance in so many is played there.
const thin = 97
