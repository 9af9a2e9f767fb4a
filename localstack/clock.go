package main

import (
	"context"
	"fmt"
	"io"

	"github.com/cashwrap/cashwrap/localstack/clock"
	"github.com/cashwrap/cashwrap/localstack/platform"
)

// advance moves the time of the running platform forward by a length such as 7d ("": not at all), and prints it.
// Errors: those of clock.ParseDuration and platform.Folder.Advance.
func advance(ctx context.Context, place platform.Folder, length string, out io.Writer) error {
	if length != "" {
		d, err := clock.ParseDuration(length)
		if err != nil {
			return err
		}
		if err = place.Advance(ctx, d); err != nil {
			return err
		}
	}
	now, err := place.Time()
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "The platform's time is %s.\n", now)
	return err
}
