// Command prloop takes a pull request from "opened" to "merged and watched":
// one run takes one step. As the action's container it is started without
// arguments; with arguments it is a command-line tool (prloop --help).
package main

import (
	"context"
	"embed"
	"os"
	"os/signal"
	"syscall"

	"github.com/prloop/prloop/internal/cli"
)

// stories are what "prloop simulate" plays; the Dockerfile packs them.
//
//go:embed testdata/scenarios
var stories embed.FS

func main() {
	// The runner ends a cancelled job with SIGINT, then SIGTERM: the step in
	// hand still gives its lock back.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := cli.Main(ctx, os.Args[1:], cli.System{
		Getenv:  os.Getenv,
		Environ: os.Environ,
		Stdin:   os.Stdin,
		Stdout:  os.Stdout,
		Stderr:  os.Stderr,
		Stories: stories,
	})
	stop()
	os.Exit(code)
}
