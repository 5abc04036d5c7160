// Package bench measures prloop against the figures that it promises (design
// 12) and prints figure, bar and ratio in one table: "make bench". It has no
// code but its tests, and no test of it fails because a machine is slow: what
// takes time is measured under the flag -bars alone.
//
// Start at the table in bars_test.go.
package bench
