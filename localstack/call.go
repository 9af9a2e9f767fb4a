package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"

	"github.com/cashwrap/cashwrap/functions"
	"github.com/cashwrap/cashwrap/localstack/lambda/runner"
	"github.com/cashwrap/cashwrap/shared/app"
)

// call is `aws lambda invoke` on this machine, in this process, over the engines of the platform that runs. Errors:
// errNotRunning, or the function's.
func (f folder) call(ctx context.Context, name string, request []byte, log *slog.Logger) ([]byte, error) {
	b, err := f.withSecret()
	if err != nil {
		return nil, err
	}
	config, err := app.FromEnvironment(func(name string) string { return b.Environment[name] })
	if err != nil {
		return nil, err
	}
	function, err := named(name)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, function.Timeout)
	defer cancel()
	outside := app.Outside{Credentials: runner.Engines{AccessKey: b.AccessKey}.Credentials(), Log: log}
	answer, err := function.Invoke(app.New(config, outside))(ctx, request)
	if err != nil {
		return nil, err
	}
	return json.Marshal(answer)
}

// withSecret is what a function needs beside the platform that runs, with the platform's secret. Error: errNotRunning.
func (f folder) withSecret() (beside, error) {
	b, err := f.readFunctions()
	if err != nil {
		return beside{}, err
	}
	secret, err := f.secret()
	if err != nil {
		return beside{}, err
	}
	b.Environment["PLATFORM_SECRET"] = base64.StdEncoding.EncodeToString(secret)
	return b, nil
}

// named is the function of that name.
func named(name string) (functions.Function, error) {
	at := slices.IndexFunc(functions.All, func(f functions.Function) bool { return f.Name == name })
	if at < 0 {
		return functions.Function{}, fmt.Errorf("there is no function %q: there are %s", name, strings.Join(names(), ", "))
	}
	return functions.All[at], nil
}

// names are those of all functions.
func names() []string {
	var all []string
	for _, f := range functions.All {
		all = append(all, f.Name)
	}
	return all
}

// printJSON prints an answer for people; what is no JSON as it is.
func printJSON(out io.Writer, answer []byte) {
	var pretty bytes.Buffer
	if json.Indent(&pretty, answer, "", "  ") != nil {
		pretty.Reset()
		pretty.Write(answer)
	}
	fmt.Fprintln(out, pretty.String())
}
