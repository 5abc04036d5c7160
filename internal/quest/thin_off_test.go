//go:build !race

package quest

const thin = 1
