package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"

	"github.com/cashwrap/cashwrap/localstack/client"
	"github.com/cashwrap/cashwrap/localstack/platform"
)

// resend sends a callback again. Errors: ErrNotRunning, or why it cannot be.
func resend(ctx context.Context, place platform.Folder, id string, out io.Writer) error {
	err := place.Operator(slog.New(slog.DiscardHandler)).Operate(ctx,
		map[string]string{"command": "replay_callbacks", "id": id}, nil)
	if refused, ok := errors.AsType[*client.Refusal](err); ok {
		return errors.New(refused.Message)
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%s is sent again.\n", id)
	return err
}
