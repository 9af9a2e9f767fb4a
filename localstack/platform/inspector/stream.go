package inspector

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
)

// Listening describes a command that listens to callbacks: which callbacks it takes, and where it forwards them.
type Listening struct {
	// ForwardTo is an address that gets callbacks instead of each checkout's return_url; "" forwards none.
	ForwardTo string   `json:"forward_to,omitempty"`
	Events    []string `json:"events,omitempty"` // types to take; empty takes all
}

// StreamCallbacks sends each new attempt at a callback as a line of JSON until the command ends. It reads a Listening.
func (i *Inspector) StreamCallbacks(w http.ResponseWriter, r *http.Request) {
	var wants Listening
	l := &listener{}
	err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody)).Decode(&wants)
	if err == nil && wants.ForwardTo != "" {
		l.forward, err = parseForward(wants.ForwardTo)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if why := i.unseenReason(); why != "" {
		http.Error(w, why, http.StatusConflict)
		return
	}
	l.events = wants.Events
	stop, err := i.addListener(l)
	if err != nil {
		http.Error(w, err.Error(), http.StatusConflict)
		return
	}
	defer stop()
	sendNew(i, w, r, i.Callbacks, func(c *Callback) bool { return l.accepts(c.Event) })
}

func parseForward(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("%q is no address to forward to: give one such as http://127.0.0.1:4000/callback", text)
	}
	return u, nil
}

// StreamRequests sends each new request to the API as a line of JSON until the command ends.
func (i *Inspector) StreamRequests(w http.ResponseWriter, r *http.Request) {
	sendNew(i, w, r, i.Requests, func(*Request) bool { return true })
}

// sendNew sends new elements of a list until the command or the platform ends. The list has its latest element first.
func sendNew[T comparable](i *Inspector, w http.ResponseWriter, r *http.Request, list func() []T, wanted func(T) bool) {
	_, _ = io.Copy(io.Discard, r.Body) // the end of the command is noticed only after the body is read
	changes, stop := i.watch()
	defer stop()
	out, flush := json.NewEncoder(w), http.NewResponseController(w).Flush
	var last T // latest element that was already there
	if before := list(); len(before) > 0 {
		last = before[0]
	}
	for flush() == nil { // flushes the header at once, which tells the command that it is connected
		select {
		case <-changes:
		case <-r.Context().Done():
			return
		case <-i.closed:
			return
		}
		now := list()
		for _, one := range newestFirst(since(now, last)) {
			if wanted(one) && out.Encode(one) != nil {
				return
			}
		}
		if len(now) > 0 {
			last = now[0]
		}
	}
}

// since returns the elements after last, or all if last is no longer recorded.
func since[T comparable](list []T, last T) []T {
	if at := slices.Index(list, last); at >= 0 {
		return list[:at]
	}
	return list
}
