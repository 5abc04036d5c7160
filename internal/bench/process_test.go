package bench

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/prloop/prloop/internal/scenario"
)

// A lab has what several figures share.
type lab struct {
	dir  string
	exe  string // the binary, once it was built
	told map[string]scenario.Told
}

func newLab() (*lab, error) {
	dir, err := os.MkdirTemp("", "prloop-bench-")
	return &lab{dir: dir}, err
}

func (l *lab) close() error { return os.RemoveAll(l.dir) }

// binary builds what the image has, from a copy of the source, by the
// Dockerfile's own lines.
func (l *lab) binary() (string, error) {
	if l.exe != "" {
		return l.exe, nil
	}
	const root = "../.."
	dockerfile, err := os.ReadFile(filepath.Join(root, "Dockerfile"))
	if err != nil {
		return "", err
	}
	_, build, ok := strings.Cut(string(dockerfile), "\nCOPY . .\n")
	if !ok {
		return "", errors.New("the Dockerfile does not copy the source")
	}
	src, exe := filepath.Join(l.dir, "src"), filepath.Join(l.dir, "prloop")
	if err := source(root, src); err != nil {
		return "", err
	}
	for line := range strings.Lines(build) {
		command, ok := strings.CutPrefix(strings.TrimSpace(line), "RUN ")
		if !ok {
			continue
		}
		c := exec.Command("sh", "-c", strings.Replace(command, "-o /prloop", "-o "+exe, 1))
		c.Dir = src
		if out, err := c.CombinedOutput(); err != nil {
			return "", fmt.Errorf("%s: %w\n%s", command, err, out)
		}
	}
	if _, err := os.Stat(exe); err != nil {
		return "", fmt.Errorf("the Dockerfile does not build /prloop: %w", err)
	}
	l.exe = exe
	return exe, nil
}

// source copies what the binary is made of.
func source(root, to string) error {
	for _, dir := range []string{"internal", "testdata"} {
		if err := os.CopyFS(filepath.Join(to, dir), os.DirFS(filepath.Join(root, dir))); err != nil {
			return err
		}
	}
	for _, file := range []string{"go.mod", "go.sum", "main.go"} {
		text, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(to, file), text, 0o600); err != nil {
			return err
		}
	}
	return nil
}

const mb = 1e6

func binarySize(l *lab) (float64, error) {
	exe, err := l.binary()
	if err != nil {
		return 0, err
	}
	info, err := os.Stat(exe)
	if err != nil {
		return 0, err
	}
	return float64(info.Size()) / mb, nil
}

// imageSize is what a registry would send: the layers of the image prloop,
// compressed as registries do it.
func imageSize(*lab) (float64, error) {
	engine, err := engine()
	if err != nil {
		return 0, err
	}
	save := exec.Command(engine, "save", "prloop")
	var stderr bytes.Buffer
	save.Stderr = &stderr
	layers, err := save.StdoutPipe()
	if err != nil {
		return 0, err
	}
	if err := save.Start(); err != nil {
		return 0, err
	}
	var n counter
	zip := gzip.NewWriter(&n)
	if _, err := io.Copy(zip, layers); err != nil {
		return 0, err
	}
	if err := errors.Join(zip.Close(), save.Wait()); err != nil {
		return 0, fmt.Errorf("%s save prloop: %w: %s", engine, err, stderr.String())
	}
	return float64(n) / mb, nil
}

// engine is the container engine that has the image.
func engine() (string, error) {
	why := "neither docker nor podman is here"
	for _, name := range []string{"podman", "docker"} {
		if _, err := exec.LookPath(name); err != nil {
			continue
		}
		if exec.Command(name, "image", "inspect", "prloop").Run() == nil {
			return name, nil
		}
		why = "no image prloop is here (make image)"
	}
	return "", fmt.Errorf("%w: %s", errNotHere, why)
}

type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

// runner is the environment of a run on event file.
func runner(dir, rest, graphql, token, event, file string) []string {
	return []string{
		"CI=true", "GITHUB_ACTIONS=true",
		"GITHUB_API_URL=" + rest, "GITHUB_GRAPHQL_URL=" + graphql, "GITHUB_SERVER_URL=https://github.com",
		"GITHUB_EVENT_NAME=" + event, "GITHUB_EVENT_PATH=" + file, "GITHUB_REPOSITORY=" + scenario.Owner + "/" + scenario.Repo,
		"GITHUB_RUN_ID=1", "GITHUB_RUN_ATTEMPT=1", "GITHUB_JOB=step",
		"GITHUB_OUTPUT=" + filepath.Join(dir, "output"), "GITHUB_STEP_SUMMARY=" + filepath.Join(dir, "summary.md"),
		"INPUT_GITHUB-TOKEN=" + token,
	}
}

func empty(dir string) error {
	return errors.Join(os.WriteFile(filepath.Join(dir, "output"), nil, 0o600), os.WriteFile(filepath.Join(dir, "summary.md"), nil, 0o600))
}

// firstRequest is how many ms pass from the start of the process until its
// first request is at the server.
func firstRequest(l *lab) (float64, error) {
	exe, err := l.binary()
	if err != nil {
		return 0, err
	}
	arrived := make(chan struct{}, 64)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		arrived <- struct{}{}
		http.Error(w, `{"message":"Bad credentials"}`, http.StatusUnauthorized)
	}))
	defer server.Close()
	event := filepath.Join(l.dir, "event.json")
	if err := os.WriteFile(event, []byte(`{"action":"opened","number":1,"pull_request":{"number":1}}`), 0o600); err != nil {
		return 0, err
	}
	return median(31, func() (float64, error) {
		if err := empty(l.dir); err != nil {
			return 0, err
		}
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		run := exec.CommandContext(ctx, exe)
		run.Env = runner(l.dir, server.URL, server.URL+"/graphql", "token", "pull_request", event)
		var log bytes.Buffer
		run.Stdout, run.Stderr = &log, &log
		d, err := took(func() error {
			if err := run.Start(); err != nil {
				return err
			}
			select {
			case <-arrived:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
		_ = run.Wait() // it ends with 1: the server refuses its token
		for len(arrived) > 0 {
			<-arrived
		}
		if err != nil {
			return 0, fmt.Errorf("no request came: %w: %s", err, log.String())
		}
		return float64(d.Microseconds()) / 1e3, nil
	})
}

// peakMemory is the peak resident memory, in MiB, of a quiet step over a
// served pull request.
func peakMemory(l *lab) (float64, error) {
	exe, err := l.binary()
	if err != nil {
		return 0, err
	}
	w, err := serve(exe)
	if err != nil {
		return 0, err
	}
	defer w.end()
	event := filepath.Join(w.value["events"], "01-pull_request.json")
	// A process counts what the one that it was forked from had in memory, so
	// a small one starts it.
	small, err := os.Executable()
	if err != nil {
		return 0, err
	}
	return median(5, func() (float64, error) {
		if err := empty(l.dir); err != nil {
			return 0, err
		}
		run := exec.Command(small, "-peak", "--", exe)
		run.Env = runner(l.dir, w.value["rest"], w.value["graphql"], w.value["token"], "pull_request", event)
		out, err := run.Output()
		if err != nil {
			return 0, fmt.Errorf("the step ended otherwise than with 0: %w: %s", err, out)
		}
		kib, err := strconv.Atoi(strings.TrimSpace(string(out)))
		return float64(kib) / 1024, err
	})
}

// printPeak runs a command and prints its peak resident memory in KiB.
func printPeak(w io.Writer, command []string) error {
	if len(command) == 0 {
		return errors.New("-peak needs a command")
	}
	run := exec.Command(command[0], command[1:]...)
	var log bytes.Buffer
	run.Stdout, run.Stderr = &log, &log
	if err := run.Run(); err != nil {
		return fmt.Errorf("%w: %s", err, log.String())
	}
	usage, ok := run.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		return errors.New("this system does not tell what a process used")
	}
	_, err := fmt.Fprintln(w, usage.Maxrss)
	return err
}

// A world is a process that serves the default story.
type world struct {
	value map[string]string
	run   *exec.Cmd
	drain sync.WaitGroup
}

func serve(exe string) (*world, error) {
	w := &world{value: map[string]string{}, run: exec.Command(exe, "simulate", "--serve", "127.0.0.1:0")}
	out, err := w.run.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := w.run.Start(); err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(out)
	for w.value["events"] == "" && lines.Scan() {
		if k, v, ok := strings.Cut(lines.Text(), "="); ok {
			w.value[k] = v
		}
	}
	if w.value["events"] == "" {
		w.end()
		return nil, fmt.Errorf("the world was not served: it said %q", w.value)
	}
	w.drain.Go(func() { _, _ = io.Copy(io.Discard, out) })
	return w, nil
}

func (w *world) end() {
	_ = w.run.Process.Signal(os.Interrupt)
	w.drain.Wait()
	_ = w.run.Wait()
}

// simulate is how many seconds "prloop simulate" takes.
func simulate(l *lab) (float64, error) {
	exe, err := l.binary()
	if err != nil {
		return 0, err
	}
	return median(5, func() (float64, error) {
		run := exec.Command(exe, "simulate")
		var log bytes.Buffer
		run.Stdout, run.Stderr = &log, &log
		d, err := took(run.Run)
		if err != nil {
			return 0, fmt.Errorf("%w: %s", err, log.String())
		}
		return d.Seconds(), nil
	})
}
