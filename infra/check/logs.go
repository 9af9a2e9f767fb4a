package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/functions"
	"github.com/cashwrap/cashwrap/localstack/demo"
)

// patience is how long a schedule of every minute is waited for, from when it
// was made.
const patience = 2 * time.Minute

// readLogs: the schedule has woken the sweep, every function was called, and
// none has logged an error.
func (d *deployment) readLogs(ctx context.Context, _ demo.Config) error {
	d.say("Wait until the schedule has woken the sweep, a minute after it was made; read all logs")
	if err := d.awaitSweep(ctx); err != nil {
		return err
	}
	for _, f := range functions.All {
		lines, err := d.logged(ctx, f.Name)
		if err != nil {
			return err
		}
		if len(lines) == 0 {
			return fmt.Errorf("%s was not called, or logs nowhere", f.Name)
		}
		for _, line := range lines {
			if strings.Contains(line, `"level":"ERROR"`) || strings.Contains(line, "panic: ") {
				return fmt.Errorf("%s has logged an error: %s", f.Name, line)
			}
		}
	}
	return nil
}

func (d *deployment) awaitSweep(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		lines, err := d.logged(ctx, "sweep")
		if err != nil {
			return err
		}
		if len(lines) > 0 {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("the sweep was not woken in %s", patience)
		}
	}
}

// logged are the lines of a function's log; none while it was not called.
func (d *deployment) logged(ctx context.Context, name string) ([]string, error) {
	var lines []string
	for token := ""; ; {
		request := object{"logGroupName": "/aws/lambda/" + stack + "-" + name}
		if token != "" {
			request["nextToken"] = token
		}
		var page struct {
			Events    []struct{ Message string }
			NextToken string
		}
		if err := d.operation(ctx, "logs", "Logs_20140328.FilterLogEvents", request, &page); err != nil {
			return nil, err
		}
		for _, e := range page.Events {
			lines = append(lines, e.Message)
		}
		if token = page.NextToken; token == "" {
			return lines, nil
		}
	}
}
