package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/cashwrap/cashwrap/localstack/platform"
	"github.com/cashwrap/cashwrap/localstack/platform/lambda/runtime"
	"github.com/cashwrap/cashwrap/localstack/platform/terminal"
)

// errFailed is returned after the function's error has been printed in the form of Lambda.
var errFailed = errors.New("the function failed: its error is above")

// errNoEvent is also returned for `make invoke` without FN or EVENT.
var errNoEvent = errors.New("the function and the event are missing, for example: make invoke FN=checkouts " +
	"EVENT=events/checkouts.json")

// invoke calls a deployed function with the event in a file, and prints the reply. Errors: errNoEvent, errFailed, or an
// error of platform.Folder.Invoke.
func invoke(ctx context.Context, place platform.Folder, name, file string, out io.Writer) error {
	if name == "" || file == "" {
		return errNoEvent
	}
	reply, err := place.Invoke(ctx, name, file, terminal.New(os.Stderr))
	if failed, ok := errors.AsType[*runtime.Error](err); ok {
		if reply, err = json.Marshal(failed); err == nil {
			err = errFailed
		}
	}
	if err != nil && !errors.Is(err, errFailed) {
		return err
	}
	printJSON(out, reply)
	return err
}

// printJSON prints an answer with indentation. If the answer is not JSON, printJSON prints it unchanged.
func printJSON(out io.Writer, answer []byte) {
	var pretty bytes.Buffer
	if json.Indent(&pretty, answer, "", "  ") != nil {
		pretty.Reset()
		pretty.Write(answer)
	}
	fmt.Fprintln(out, pretty.String())
}
