// Package archtest has tests of the source itself: which package may import
// which, who may read the clock, and that what the contributors' documents
// link to exists. It has no code.
//
// Start at the table in imports_test.go.
package archtest
