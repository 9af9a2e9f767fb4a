package runtime

import (
	"errors"
	"fmt"
	"os/exec"
	"time"
)

// Error is a function's error as Lambda reports it to the caller.
type Error struct {
	Type    string `json:"errorType"`
	Message string `json:"errorMessage"`
}

// Types of errors that the function did not report itself.
const (
	ExitError = "Runtime.ExitError" // the process ended
	TimedOut  = "Sandbox.Timedout"  // the process was killed after the time limit
)

func (e *Error) Error() string { return e.Type + ": " + e.Message }

func timedOut(id string, after time.Duration) error {
	return &Error{TimedOut, fmt.Sprintf("RequestId: %s Error: Task timed out after %.2f seconds", id, after.Seconds())}
}

// exitError reports a process that ended without an answer.
func (i *Instance) exitError(id string) error {
	how := "Runtime exited without providing a reason"
	if exit, ok := errors.AsType[*exec.ExitError](i.exit); ok {
		how = "Runtime exited with error: " + exit.Error()
	}
	return &Error{ExitError, "RequestId: " + id + " Error: " + how}
}
