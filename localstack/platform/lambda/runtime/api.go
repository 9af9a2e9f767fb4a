package runtime

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
)

// maxReply is the maximum size of a reply in Lambda, in bytes.
const maxReply = 6<<20 + 100

// apiHandler returns Lambda's side of a custom runtime (AWS: "Using the Lambda runtime API").
func (i *Instance) apiHandler() http.Handler {
	const version = "/2018-06-01/runtime/"
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+version+"invocation/next", i.handleNext)
	mux.HandleFunc("POST "+version+"invocation/{id}/response", i.handleResponse)
	mux.HandleFunc("POST "+version+"invocation/{id}/error", i.handleError)
	return mux
}

func (i *Instance) handleNext(w http.ResponseWriter, r *http.Request) {
	select {
	case i.asks <- struct{}{}:
	default:
		refuse(w, http.StatusForbidden, "InvalidStateTransition", "the previous request for an event is not answered")
		return
	}
	select {
	case t := <-i.invocations:
		i.mu.Lock()
		i.current = t
		i.mu.Unlock()
		header := w.Header()
		header.Set("Content-Type", "application/json")
		header.Set("Lambda-Runtime-Aws-Request-Id", t.id)
		header.Set("Lambda-Runtime-Deadline-Ms", strconv.FormatInt(t.deadline.UnixMilli(), 10))
		header.Set("Lambda-Runtime-Invoked-Function-Arn", i.config.ARN)
		_, _ = w.Write(t.payload) // fails only if the process has ended
	case <-r.Context().Done(): // the process has ended
	}
}

func (i *Instance) handleResponse(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxReply))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		refused := &Error{Type: "Function.ResponseSizeTooLarge",
			Message: "Response payload size exceeded maximum allowed payload size (" + strconv.Itoa(maxReply) + " bytes)."}
		if i.settle(w, r, answer{err: refused}) {
			refuse(w, http.StatusRequestEntityTooLarge, "RequestEntityTooLarge", refused.Message)
		}
	case err == nil && i.settle(w, r, answer{payload: body}):
		w.WriteHeader(http.StatusAccepted)
	}
}

func (i *Instance) handleError(w http.ResponseWriter, r *http.Request) {
	var reported Error
	if json.NewDecoder(http.MaxBytesReader(w, r.Body, maxReply)).Decode(&reported) != nil {
		reported = Error{Type: r.Header.Get("Lambda-Runtime-Function-Error-Type"), Message: "the error cannot be read"}
	}
	if i.settle(w, r, answer{err: &reported}) {
		w.WriteHeader(http.StatusAccepted)
	}
}

// settle gives the answer to the function's caller. If the request's id is not the current event's, settle refuses the
// request and returns false.
func (i *Instance) settle(w http.ResponseWriter, r *http.Request, a answer) bool {
	i.mu.Lock()
	t := i.current
	if t == nil || t.id != r.PathValue("id") {
		i.mu.Unlock()
		refuse(w, http.StatusBadRequest, "InvalidRequestID", "no event of this id is under way")
		return false
	}
	i.current = nil
	i.mu.Unlock()
	t.answers <- a
	return true
}

func refuse(w http.ResponseWriter, status int, kind, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(Error{Type: kind, Message: message})
}
