package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/functions"
	"github.com/cashwrap/cashwrap/localstack/demo"
)

// scheduleLimit is how long a schedule of every minute may take for its first call.
const scheduleLimit = 2 * time.Minute

// readLogs checks that the schedule has invoked sweep, that every function was called,
// that each line of ours has the commit, and that none has logged an error.
func (d *deployment) readLogs(ctx context.Context, _ demo.Config) error {
	d.say("Wait until the schedule has invoked sweep, a minute after it was created; read all logs")
	if err := d.awaitSweep(ctx); err != nil {
		return err
	}
	for _, f := range functions.All {
		lines, err := d.logged(ctx, f.Name)
		if err != nil {
			return err
		}
		if len(lines) == 0 {
			return fmt.Errorf("%s was not called, or has no log", f.Name)
		}
		for _, line := range lines {
			if strings.HasPrefix(line, `{"time":`) && !strings.Contains(line, `"commit":"`+d.commit+`"`) {
				return fmt.Errorf("%s has logged a line without the commit %s: %s", f.Name, d.commit, line)
			}
			if strings.Contains(line, `"level":"ERROR"`) || strings.Contains(line, "panic: ") {
				return fmt.Errorf("%s has logged an error: %s", f.Name, line)
			}
		}
	}
	return nil
}

func (d *deployment) awaitSweep(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, scheduleLimit)
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
			return fmt.Errorf("sweep was not invoked within %s", scheduleLimit)
		}
	}
}

// logged are the lines of a function's log; none before its first call.
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
