package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/cashwrap/cashwrap/functions"
	"github.com/cashwrap/cashwrap/localstack/lambda/runner"
	"github.com/cashwrap/cashwrap/localstack/lambda/runtime"
)

// errFailed is after the error, which is printed as Lambda tells it.
var errFailed = errors.New("the function failed: its error is above")

// errWhat names what make leaves empty.
var errWhat = errors.New("which function, and which event? For example: make invoke FN=checkouts EVENT=events/checkouts-create.json")

// invoke hands the event of a file to a function as it is deployed, a process of its own that talks to the Runtime API,
// over the engines of the platform that runs, and prints the reply. Errors: errNotRunning, errFailed, the compiler's.
func invoke(ctx context.Context, place folder, name, file string, out io.Writer) error {
	if name == "" || file == "" {
		return errWhat
	}
	function, err := named(name)
	if err != nil {
		return err
	}
	event, err := place.readEvent(file, os.Getenv)
	if err != nil {
		return err
	}
	program, err := place.program(ctx, function, slog.New(newTerminal(os.Stderr)))
	if err != nil {
		return err
	}
	f := runtime.New(program)
	defer f.Stop()
	reply, err := f.Invoke(ctx, uuid.NewString(), event)
	var failed *runtime.Error
	if errors.As(err, &failed) {
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

// program builds the function and says how it runs beside the platform.
func (f folder) program(ctx context.Context, function functions.Function, log *slog.Logger) (runtime.Config, error) {
	b, err := f.withSecret()
	if err != nil {
		return runtime.Config{}, err
	}
	built, err := runtime.Build(ctx, function.Name)
	if err != nil {
		return runtime.Config{}, err
	}
	return runner.Programs{Folder: built, Environment: b.Environment, Log: log,
		Credentials: runner.Engines{AccessKey: b.AccessKey}.Credentials()}.Of(ctx, function)
}

// blank is something an event leaves open, such as ${API_KEY}: events/ holds no keys.
var blank = regexp.MustCompile(`\$\{([A-Z_]+)\}`)

// readEvent reads an event and fills in its blanks, from our environment or from .local/env.
func (f folder) readEvent(file string, lookup func(string) string) ([]byte, error) {
	event, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	env, err := f.readEnv()
	if err != nil {
		return nil, err
	}
	var open []string // names, each once
	event = blank.ReplaceAllFunc(event, func(found []byte) []byte {
		name := string(blank.FindSubmatch(found)[1])
		value := cmp.Or(lookup(name), env[name])
		if value == "" && !slices.Contains(open, name) {
			open = append(open, name)
		}
		return []byte(value)
	})
	switch {
	case len(open) > 0:
		return nil, fmt.Errorf("%s leaves %s open: put it into the environment, as in %s=… make invoke …",
			file, strings.Join(open, " and "), open[0])
	case !json.Valid(event):
		return nil, fmt.Errorf("%s is not JSON", file)
	default:
		return event, nil
	}
}
