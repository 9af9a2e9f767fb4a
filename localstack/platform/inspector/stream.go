package inspector

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
)

// Listening is what a command that listens to callbacks wants.
type Listening struct {
	// ForwardTo is an address that gets them instead of each checkout's return_url; "": none.
	ForwardTo string   `json:"forward_to,omitempty"`
	Events    []string `json:"events,omitempty"` // of these types only; none: all
}

// StreamCallbacks sends a line of JSON for each new try of a callback, by the body's Listening, until the command ends.
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
	if why := i.unseen(); why != "" {
		http.Error(w, why, http.StatusConflict)
		return
	}
	l.events = wants.Events
	stop, err := i.listen(l)
	if err != nil {
		http.Error(w, err.Error(), http.StatusConflict)
		return
	}
	defer stop()
	stream(i, w, r, i.Callbacks, func(c *Callback) bool { return l.takes(c.Event) })
}

func parseForward(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("%q is no address to forward to: give one such as http://127.0.0.1:4000/callback", text)
	}
	return u, nil
}

// StreamRequests answers a command with each request to the API that comes from now on, as JSON a line.
func (i *Inspector) StreamRequests(w http.ResponseWriter, r *http.Request) {
	stream(i, w, r, i.Requests, func(*Request) bool { return true })
}

// stream sends what is new in a list, whose latest comes first, until the command or the platform ends.
func stream[T comparable](i *Inspector, w http.ResponseWriter, r *http.Request, list func() []T, wanted func(T) bool) {
	_, _ = io.Copy(io.Discard, r.Body) // until then nobody sees that the command ends
	changes, stop := i.watch()
	defer stop()
	out, flush := json.NewEncoder(w), http.NewResponseController(w).Flush
	var last T // of those that were there before
	if before := list(); len(before) > 0 {
		last = before[0]
	}
	for flush() == nil { // at once: by the header the command knows that it is connected
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

// since returns what came after last; all if it is no longer kept.
func since[T comparable](list []T, last T) []T {
	if at := slices.Index(list, last); at >= 0 {
		return list[:at]
	}
	return list
}
