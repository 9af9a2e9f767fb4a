package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/localstack/inspector"
	"github.com/cashwrap/cashwrap/localstack/platform"
)

// listen prints each attempt to deliver a callback that is made from now on, until ctx ends. Errors: ErrNotRunning; an
// event or an address that is none; that functions run in processes of their own.
func listen(ctx context.Context, place platform.Folder, wants inspector.Listening, out io.Writer) error {
	for _, event := range wants.Events {
		if !slices.Contains(inspector.Events, event) {
			return fmt.Errorf("%q is no type of event: there are %s", event, strings.Join(inspector.Events, " and "))
		}
	}
	callbacks, err := place.Callbacks(ctx, wants)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "Listening; callbacks go to %s. Ctrl-C ends it.\n",
		cmp.Or(wants.ForwardTo, "each checkout's return_url"))
	for c, err := range callbacks {
		if err != nil {
			return err
		}
		answer := strconv.Itoa(c.Status)
		if c.Status == 0 {
			answer = c.Fail
		}
		fmt.Fprintf(out, "%s  %s %s -> %s [%s]  v1 %s v1a %s  %s\n", c.At.Local().Format(time.TimeOnly), c.Event, c.Subject,
			c.URL, answer, c.Secret, c.Key, c.ID)
	}
	return nil
}

// requestFilter says which requests are printed; the zero value: all.
type requestFilter struct {
	statuses []string // 404, or 4xx
	methods  []string
	path     string // a part of it
}

// statusCode is one of requestFilter's.
var statusCode = regexp.MustCompile(`^[1-5](?:[0-9]{2}|[xX]{2})$`)

func (f requestFilter) check() error {
	for _, code := range f.statuses {
		if !statusCode.MatchString(code) {
			return fmt.Errorf("%q is no status code: give one such as 404, or 4xx", code)
		}
	}
	return nil
}

func (f requestFilter) takes(r inspector.Request) bool {
	code := strconv.Itoa(r.Status)
	status := func(wanted string) bool { return wanted == code || strings.EqualFold(wanted, code[:1]+"xx") }
	method := func(wanted string) bool { return strings.EqualFold(wanted, r.Method) }
	return (len(f.statuses) == 0 || slices.ContainsFunc(f.statuses, status)) &&
		(len(f.methods) == 0 || slices.ContainsFunc(f.methods, method)) && strings.Contains(r.Path, f.path)
}

// tailLogs prints each request to the API that comes from now on, until ctx ends. Errors: ErrNotRunning; a filter that
// is none.
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
		if wants.takes(r) {
			fmt.Fprintf(out, "%s  %d %s %s  %s  %s\n", r.At.Local().Format(time.TimeOnly), r.Status, r.Method, r.Path,
				r.Took.Round(10*time.Microsecond), r.ID)
		}
	}
	return nil
}
