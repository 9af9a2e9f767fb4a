package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime/debug"

	"github.com/cashwrap/cashwrap/localstack/platform"
	"github.com/cashwrap/cashwrap/localstack/platform/terminal"
)

// run runs the platform until ctx ends, and logs each request. It returns an error if the platform cannot start, an
// engine ended, or data was not saved.
func run(ctx context.Context, place platform.Folder, c platform.Config, out, log io.Writer) error {
	debug.SetGCPercent(garbagePercent)
	c.Progress, c.Log = out, terminal.New(log)
	p, err := platform.Start(ctx, place, c)
	if ctx.Err() != nil && err != nil {
		return nil // Ctrl-C came first
	}
	if err != nil {
		return err
	}
	if err := greet(out, p.Env, p.Time(), c.Live); err != nil {
		return errors.Join(err, p.Stop())
	}
	select {
	case <-ctx.Done():
	case <-p.Ended:
		ended := fmt.Errorf("an engine ended by itself: see %s", filepath.Join(string(place), platform.EngineLog))
		return errors.Join(ended, p.Stop())
	}
	fmt.Fprintln(out, "\nStopping.")
	if err := p.Stop(); err != nil {
		return err
	}
	fmt.Fprintln(out, "Everything is kept in .local/.")
	return nil
}

// garbagePercent limits garbage, as a share of the memory in use. 100 % would double the memory of the table. 50 %
// costs about 5 % more CPU time.
const garbagePercent = 50
