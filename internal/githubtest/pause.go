package githubtest

import "time"

// Pause moves the clock by d and everything that is scheduled with it: nothing
// happens meanwhile. A story that is paused goes on as it would have, later.
func (w *World) Pause(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(d)
	for i := range w.due {
		w.due[i].at = w.due[i].at.Add(d)
	}
}
