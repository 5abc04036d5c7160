package scenario

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"syscall"
	"time"
)

// A Fault is what happens to one request on its way.
type Fault string

// The faults. Cut is a process that dies: nothing of it is heard again.
const (
	NoFault     Fault = ""
	Cut         Fault = "cut"
	BadGateway  Fault = "502"
	Secondary   Fault = "secondary limit"
	ResetBefore Fault = "reset before"
	ResetAfter  Fault = "reset after the write"
)

// Faults are the faults that every story is put through at every request.
var Faults = []Fault{BadGateway, Secondary, ResetBefore, ResetAfter}

// errCut is what a dead process sees of its own requests: nothing else.
var errCut = errors.New("the process has died")

// A wire carries the requests of one run and breaks them as the story says.
type wire struct {
	next http.RoundTripper
	n    int // requests so far
	// before is called ahead of request n.
	before func(n int)
	// fault says what happens to request n.
	fault func(n int) Fault
	dead  bool
}

// RoundTrip passes one request on, or breaks it.
func (w *wire) RoundTrip(req *http.Request) (*http.Response, error) {
	if w.dead {
		return nil, errCut
	}
	w.n++
	n := w.n
	if w.before != nil {
		w.before(n)
	}
	var f Fault
	if w.fault != nil {
		f = w.fault(n)
	}
	switch f {
	case Cut:
		// The request is done, and then the process is gone.
		w.dead = true
		if resp, err := w.next.RoundTrip(req); err == nil {
			drain(resp)
		}
		return nil, errCut
	case BadGateway:
		return answer(req, http.StatusBadGateway, `{"message":"Bad Gateway"}`), nil
	case Secondary:
		return answer(req, http.StatusForbidden, `{"message":"You have exceeded a secondary rate limit. Please wait a few minutes before you try again."}`), nil
	case ResetBefore:
		return nil, fmt.Errorf("read: %w", syscall.ECONNRESET)
	case ResetAfter:
		resp, err := w.next.RoundTrip(req)
		if err == nil {
			drain(resp)
		}
		return nil, fmt.Errorf("read: %w", syscall.ECONNRESET)
	case NoFault:
	}
	return w.next.RoundTrip(req)
}

func drain(resp *http.Response) {
	_, _ = io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close()
}

// answer is what stands between the client and GitHub: it has no Date of
// GitHub's.
func answer(req *http.Request, status int, body string) *http.Response {
	return &http.Response{
		StatusCode:    status,
		Status:        strconv.Itoa(status) + " " + http.StatusText(status),
		Proto:         "HTTP/1.1",
		ProtoMajor:    1,
		ProtoMinor:    1,
		Header:        http.Header{"Content-Type": {"application/json"}},
		Body:          io.NopCloser(bytes.NewBufferString(body)),
		ContentLength: int64(len(body)),
		Request:       req,
	}
}

// noBackoff lets a retry follow at once: the world's clock stands still while
// a run is at work.
func noBackoff(int, *http.Response) time.Duration { return 0 }
