package main

import (
	"context"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/cashwrap/cashwrap/localstack/platform"
	"github.com/cashwrap/cashwrap/localstack/platform/inspector"
)

func newLogsCommand(place platform.Folder, out io.Writer) *cobra.Command {
	var wants requestFilter
	logs := &cobra.Command{Use: "logs", GroupID: "integrate", Short: "Show requests to the API as they come",
		Args: cobra.NoArgs, RunE: showHelp}
	tail := &cobra.Command{Use: "tail", Args: cobra.NoArgs, Short: "Show requests to the API as they come",
		Example: "  cashwrap logs tail --filter-status-code 4xx,500 --filter-http-method POST",
		RunE:    func(c *cobra.Command, _ []string) error { return tailLogs(c.Context(), place, wants, out) }}
	tail.Flags().StringSliceVar(&wants.statuses, "filter-status-code", nil, "only these `codes`, such as 404 or 4xx")
	tail.Flags().StringSliceVar(&wants.methods, "filter-http-method", nil, "only these `methods`")
	tail.Flags().StringVar(&wants.path, "filter-request-path", "", "only paths with this `text` in them")
	logs.AddCommand(tail)
	return logs
}

// requestFilter selects the requests to print. The zero value selects every request.
type requestFilter struct {
	statuses []string // 404, or 4xx
	methods  []string
	path     string // part of the path
}

var statusCode = regexp.MustCompile(`^[1-5](?:[0-9]{2}|[xX]{2})$`)

func (f requestFilter) check() error {
	for _, code := range f.statuses {
		if !statusCode.MatchString(code) {
			return fmt.Errorf("%q is no status code: give one such as 404, or 4xx", code)
		}
	}
	return nil
}

func (f requestFilter) matches(r inspector.Request) bool {
	code := strconv.Itoa(r.Status)
	status := func(wanted string) bool { return wanted == code || strings.EqualFold(wanted, code[:1]+"xx") }
	method := func(wanted string) bool { return strings.EqualFold(wanted, r.Method) }
	return (len(f.statuses) == 0 || slices.ContainsFunc(f.statuses, status)) &&
		(len(f.methods) == 0 || slices.ContainsFunc(f.methods, method)) && strings.Contains(r.Path, f.path)
}

// tailLogs prints each new request to the API until ctx ends. Errors: ErrNotRunning, an invalid filter.
func tailLogs(ctx context.Context, place platform.Folder, wants requestFilter, out io.Writer) error {
	if err := wants.check(); err != nil {
		return err
	}
	requests, err := place.Requests(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "Requests to the API, as they come. Ctrl-C ends it.")
	for r, err := range requests {
		if err != nil {
			return err
		}
		if wants.matches(r) {
			fmt.Fprintf(out, "%s  %d %s %s  %s  %s\n", r.At.Local().Format(time.TimeOnly), r.Status, r.Method, r.Path,
				r.Took.Round(10*time.Microsecond), r.ID)
		}
	}
	return reportEnd(ctx, out)
}
