package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"

	"github.com/cashwrap/cashwrap/localstack/platform"
	"github.com/cashwrap/cashwrap/localstack/platform/terminal"
)

// errRefused is returned after the answer with the reason has been printed.
var errRefused = errors.New("the command was refused: the answer above says why")

// errNoCommand is also returned for `make provision` without ARGS.
var errNoCommand = errors.New(`the command must be JSON, for example: make provision ` +
	`ARGS='{"command":"show_callback","id":"msg_…"}'; ` +
	`all commands are listed at the top of functions/provision/provision.go`)

// provision calls the function provision, which has no route, in this process over the running engines, and prints the
// answer.
func provision(ctx context.Context, place platform.Folder, request []byte, out io.Writer) error {
	if !json.Valid(request) {
		return errNoCommand
	}
	answer, err := place.Operator(terminal.New(os.Stderr))(ctx, "provision", request)
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
