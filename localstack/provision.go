package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"

	"github.com/cashwrap/cashwrap/localstack/platform"
	"github.com/cashwrap/cashwrap/localstack/terminal"
)

// errRefused is after the answer, which says why.
var errRefused = errors.New("the function refused: its answer is above")

// errNoCommand is also make's, without ARGS.
var errNoCommand = errors.New(`which command, as JSON? For example: make provision ARGS='{"command":"show_callback",` +
	`"id":"msg_…"}'; ` +
	`all are listed at the top of functions/provision/provision.go`)

// provision calls the provision function and prints its answer. It has no route, so it runs here, in the operator's own
// process, over the engines of the platform that runs.
func provision(ctx context.Context, place platform.Folder, request []byte, out io.Writer) error {
	if !json.Valid(request) {
		return errNoCommand
	}
	answer, err := place.Call(ctx, "provision", request, terminal.New(os.Stderr))
	if err != nil {
		return err
	}
	printJSON(out, answer)
	var refused struct {
		Error json.RawMessage `json:"error"`
	}
	if json.Unmarshal(answer, &refused) == nil && refused.Error != nil {
		return errRefused
	}
	return nil
}
