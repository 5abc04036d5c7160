package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/prloop/prloop/internal/app"
	"github.com/prloop/prloop/internal/fail"
	"github.com/prloop/prloop/internal/journal"
	"github.com/prloop/prloop/internal/plan"
	"github.com/prloop/prloop/internal/round"
)

// verifyCommand has the flags of "prloop verify".
type verifyCommand struct {
	live                      bool
	account, config, workflow string
}

func verify(f *flag.FlagSet) runner {
	c := &verifyCommand{}
	f.BoolVar(&c.live, "live", false, "hold each claim against GitHub, with the token in GITHUB_TOKEN")
	f.StringVar(&c.account, "account", "github-actions[bot]", "`LOGIN` of the account that prloop writes with")
	f.StringVar(&c.config, "config", ".github/prloop.yml", "`PATH` of the configuration file on the default branch")
	f.StringVar(&c.workflow, "workflow", ".github/workflows/prloop.yml", "`PATH` of the workflow that runs prloop; its own checks do not count")
	return c.run
}

// maxProof is the longest proof that is read; prloop writes none near it.
const maxProof = 1 << 20

// run says what the proof claims and whether that holds. Its exit code is 1
// where the proof is none, or where a claim no longer holds or cannot be told.
func (c *verifyCommand) run(ctx context.Context, sys *System, args []string) error {
	p, err := readProof(sys, args)
	if err != nil {
		return err
	}
	fmt.Fprintf(sys.Stdout, "The proof is whole: its digest is %s.\n", p.Digest)
	if !c.live {
		for _, claim := range plan.Claims(p) {
			fmt.Fprintf(sys.Stdout, "  claims   %s: %s\n", claim.Name, claim.Says)
		}
		return nil
	}
	claims, err := app.Verify(ctx, app.Verification{
		Proof: p, Account: c.account, Config: c.config, Workflow: c.workflow,
		Env: app.Env{Getenv: sys.Getenv},
	})
	if err != nil {
		return err
	}
	var broken, unknown int
	for _, claim := range claims {
		switch {
		case claim.Broken != "":
			broken++
			fmt.Fprintf(sys.Stdout, "  BROKEN   %s: %s; now: %s\n", claim.Name, claim.Says, claim.Broken)
		case claim.Unknown != "":
			unknown++
			fmt.Fprintf(sys.Stdout, "  unknown  %s: %s; nobody can tell: %s\n", claim.Name, claim.Says, claim.Unknown)
		default:
			fmt.Fprintf(sys.Stdout, "  holds    %s: %s\n", claim.Name, claim.Says)
		}
	}
	if broken+unknown == 0 {
		fmt.Fprintln(sys.Stdout, "Every claim holds on GitHub.")
		return nil
	}
	fmt.Fprintf(sys.Stdout, "%d of %d claims no longer hold, and of %d nobody can tell.\n", broken, len(claims), unknown)
	return exitCode(1)
}

func readProof(sys *System, args []string) (round.Proof, error) {
	if len(args) == 0 {
		return round.Proof{}, &usageError{what: "no file is named", help: "prloop verify FILE; the output proof of a run that converged is what the file holds, and - is standard input"}
	}
	in := sys.Stdin
	if args[0] != "-" {
		file, err := os.Open(args[0])
		if err != nil {
			return round.Proof{}, unreadable(err)
		}
		defer file.Close() //nolint:errcheck // It was only read.
		in = file
	}
	text, err := io.ReadAll(io.LimitReader(in, maxProof+1))
	if err != nil {
		return round.Proof{}, unreadable(err)
	}
	why := ""
	switch p, err := round.ReadProof(text); {
	case err == nil:
		return p, nil
	case len(text) == 0:
		why = "the file is empty, as the output proof is where the head has not converged"
	case len(text) > maxProof:
		why = fmt.Sprintf("it has more than %d bytes", maxProof)
	default:
		if corrupt, ok := errors.AsType[*journal.CorruptError](err); ok {
			why = corrupt.Why
		}
	}
	return round.Proof{}, &fail.Error{
		What: "This is no proof of prloop's, or not one byte of it may be trusted",
		Why:  why,
		Fix:  "Take the proof anew from the output proof, byte for byte: JSON that another tool wrote again is another one",
	}
}

func unreadable(err error) error {
	return &fail.Error{
		What: "The proof could not be read",
		Why:  fmt.Sprintf("%q", err.Error()),
		Fix:  "Name a file with the output proof of a run that converged, or - for standard input",
		Err:  err,
	}
}
