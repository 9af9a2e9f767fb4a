package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"

	"github.com/cashwrap/cashwrap/functions"
	"github.com/cashwrap/cashwrap/localstack/runner"
	"github.com/cashwrap/cashwrap/shared/app"
)

// errRefused is after the answer, which says why.
var errRefused = errors.New("the function refused: its answer is above")

// provision calls the provision function and prints its answer. It has no route, so it runs here, in the operator's own
// process, over the engines of the platform that runs.
func provision(ctx context.Context, place folder, request []byte, out io.Writer) error {
	if !json.Valid(request) {
		return fmt.Errorf(`not JSON; for example: make provision ARGS='{"command":"show_callback","id":"msg_…"}'`)
	}
	answer, err := place.invoke(ctx, "provision", request, slog.New(newTerminal(os.Stderr)))
	if err != nil {
		return err
	}
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, answer, "", "  "); err != nil {
		return err
	}
	fmt.Fprintln(out, pretty.String())
	var refused struct {
		Error json.RawMessage `json:"error"`
	}
	if json.Unmarshal(answer, &refused) == nil && refused.Error != nil {
		return errRefused
	}
	return nil
}

// invoke is `aws lambda invoke` on this machine. Errors: errNotRunning, or the function's.
func (f folder) invoke(ctx context.Context, name string, request []byte, log *slog.Logger) ([]byte, error) {
	b, err := f.readFunctions()
	if err != nil {
		return nil, err
	}
	secret, err := f.secret()
	if err != nil {
		return nil, err
	}
	b.Environment["PLATFORM_SECRET"] = base64.StdEncoding.EncodeToString(secret)
	config, err := app.FromEnvironment(func(name string) string { return b.Environment[name] })
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(functions.All, func(f functions.Function) bool { return f.Name == name })
	if at < 0 {
		return nil, fmt.Errorf("there is no function %q", name)
	}
	function := functions.All[at]
	ctx, cancel := context.WithTimeout(ctx, function.Timeout)
	defer cancel()
	outside := app.Outside{Credentials: runner.Engines{AccessKey: b.AccessKey}.Credentials(), Log: log}
	answer, err := function.Invoke(app.New(config, outside))(ctx, request)
	if err != nil {
		return nil, err
	}
	return json.Marshal(answer)
}
