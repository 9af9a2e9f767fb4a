package platform

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/cashwrap/cashwrap/functions"
	"github.com/cashwrap/cashwrap/localstack/platform/client"
	"github.com/cashwrap/cashwrap/localstack/platform/lambda/inprocess"
	"github.com/cashwrap/cashwrap/localstack/platform/lambda/runner"
	"github.com/cashwrap/cashwrap/localstack/platform/lambda/runtime"
	"github.com/cashwrap/cashwrap/shared/app"
)

// Operator returns an Invoke that runs functions in this process, over the running platform's engines. A call fails
// with ErrNotRunning or with the function's error.
func (f Folder) Operator(log *slog.Logger) client.Invoke {
	return func(ctx context.Context, name string, payload json.RawMessage) (json.RawMessage, error) {
		s, err := f.Surroundings()
		if err != nil {
			return nil, err
		}
		config, err := app.FromEnvironment(func(name string) string { return s.Environment[name] }, app.Secrets...)
		if err != nil {
			return nil, err
		}
		function, err := findFunction(name)
		if err != nil {
			return nil, err
		}
		running, err := inprocess.New(function, app.New(config.Only(function.Access().Secrets...),
			app.Overrides{Credentials: runner.Engines{AccessKey: s.AccessKey}.Credentials(), Log: log}))
		if err != nil {
			return nil, err
		}
		ctx, cancel := running.Context(ctx, uuid.NewString())
		defer cancel()
		return running.Invoke(ctx, payload)
	}
}

// Invoke calls a function as deployed, in a separate process over the running platform's engines. It reads the event
// from a file. It fails with ErrNotRunning, with a [runtime.Error] of the function, with the compiler's error, or if a
// placeholder in the event has no value.
func (f Folder) Invoke(ctx context.Context, name, file string, log *slog.Logger) ([]byte, error) {
	function, err := findFunction(name)
	if err != nil {
		return nil, err
	}
	event, err := f.readEvent(file, os.Getenv)
	if err != nil {
		return nil, err
	}
	program, err := f.build(ctx, function, log)
	if err != nil {
		return nil, err
	}
	process := runtime.New(program)
	defer process.Stop()
	return process.Invoke(ctx, uuid.NewString(), event)
}

func findFunction(name string) (functions.Function, error) {
	at := slices.IndexFunc(functions.All, func(f functions.Function) bool { return f.Name == name })
	if at < 0 {
		return functions.Function{}, fmt.Errorf("there is no function %q: there are %s", name, strings.Join(allNames(), ", "))
	}
	return functions.All[at], nil
}

func allNames() []string {
	var all []string
	for _, f := range functions.All {
		all = append(all, f.Name)
	}
	return all
}

// build builds the function and returns its configuration for running beside the platform.
func (f Folder) build(ctx context.Context, function functions.Function, log *slog.Logger) (runtime.Config, error) {
	s, err := f.Surroundings()
	if err != nil {
		return runtime.Config{}, err
	}
	built, err := runtime.Build(ctx, function.Name)
	if err != nil {
		return runtime.Config{}, err
	}
	return runner.Programs{Folder: built, Environment: s.Environment, Log: log,
		Credentials: runner.Engines{AccessKey: s.AccessKey}.Credentials()}.Of(ctx, function)
}

// blank matches a placeholder in an event, such as ${API_KEY}, because events/ has no keys.
var blank = regexp.MustCompile(`\$\{([A-Z_]+)\}`)

// readEvent reads an event. It replaces the event's blanks by variables of this process's environment or of .local/env.
func (f Folder) readEvent(file string, lookup func(string) string) ([]byte, error) {
	event, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	env, err := f.ReadEnv()
	if err != nil {
		return nil, err
	}
	var open []string // distinct names without a value
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
