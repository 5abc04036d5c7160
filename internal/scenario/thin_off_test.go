//go:build !race

package scenario

const thin = 1
