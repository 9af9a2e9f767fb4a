package failure

import (
	"fmt"
	"runtime/debug"
)

// Recover makes a panic the error of the function that defers it, with the stack.
// It is for what handles many items: a panic of one would otherwise end the
// process, and with it the work on all others.
func Recover(err *error) {
	if cause := recover(); cause != nil {
		*err = fmt.Errorf("panic: %v\n%s", cause, debug.Stack())
	}
}
