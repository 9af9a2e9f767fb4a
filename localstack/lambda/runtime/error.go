package runtime

import (
	"errors"
	"fmt"
	"os/exec"
	"time"
)

// Error is a function's error as Lambda tells it to whoever called.
type Error struct {
	Type    string `json:"errorType"`
	Message string `json:"errorMessage"`
}

// Types of errors that are not the function's own words.
const (
	ExitError = "Runtime.ExitError" // the process ended
	TimedOut  = "Sandbox.Timedout"  // and here Lambda killed it
)

func (e *Error) Error() string { return e.Type + ": " + e.Message }

func timedOut(id string, after time.Duration) error {
	return &Error{TimedOut, fmt.Sprintf("RequestId: %s Error: Task timed out after %.2f seconds", id, after.Seconds())}
}

// exitError is of a process that ended without an answer.
func (i *Instance) exitError(id string) error {
	how := "Runtime exited without providing a reason"
	var exit *exec.ExitError
	if errors.As(i.exit, &exit) {
		how = "Runtime exited with error: " + exit.Error()
	}
	return &Error{ExitError, "RequestId: " + id + " Error: " + how}
}
