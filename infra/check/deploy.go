package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/cashwrap/cashwrap/functions"
	"github.com/cashwrap/cashwrap/localstack/lambda/runtime"
)

// stage is the stage that is deployed. stack is its stack's name, with which the names
// of all its resources begin.
const (
	stage = "dev"
	stack = "cashwrap-" + stage
)

// limit ends a check that hangs. A check takes two to three minutes on two processors.
const limit = 15 * time.Minute

// check is one run.
type check struct {
	root    string
	built   string // folder with the functions, built for this machine
	logs    string // folder that is kept
	work    string // folder that is deleted
	out     io.Writer
	started time.Time
}

// deploy deploys the template to an emulator and tests the platform there. All processes
// that it starts have ended when it returns.
func deploy(ctx context.Context, root string, out io.Writer) (err error) {
	if err = missing(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	c := &check{root: root, logs: filepath.Join(root, ".local", "deploy-check"), out: out, started: time.Now()}
	if err = os.MkdirAll(c.logs, 0o700); err != nil {
		return err
	}
	if c.work, err = os.MkdirTemp(c.logs, "run"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(c.work)) }()
	if err = c.runSteps(ctx); err != nil {
		return fmt.Errorf("%w\nThe logs are in %s", err, c.logs)
	}
	c.say("Deployed and tested: everything works")
	return nil
}

// runSteps makes all steps of the check.
func (c *check) runSteps(ctx context.Context) error {
	c.say("Build the functions for this machine, on which the emulator runs them as processes")
	var err error
	if c.built, err = runtime.Build(ctx, names()...); err != nil {
		return err
	}
	c.say("Install the emulator and the CDK's command, unless they are installed")
	python, cdk, err := c.install(ctx)
	if err != nil {
		return err
	}
	log, err := c.log("emulator")
	if err != nil {
		return err
	}
	defer log.Close()
	c.say("Start the emulator")
	e, err := startEmulator(ctx, python, c.root, c.work, log)
	if err != nil {
		return err
	}
	defer e.stop()
	d, err := c.deployTo(ctx, e, cdk)
	if err != nil {
		return err
	}
	if err := d.verify(ctx); err != nil {
		return err
	}
	return d.test(ctx)
}

// names are the names of all functions.
func names() []string {
	var all []string
	for _, f := range functions.All {
		all = append(all, f.Name)
	}
	return all
}

func (c *check) say(format string, values ...any) {
	fmt.Fprintf(c.out, "%4.0f s  %s\n", time.Since(c.started).Seconds(), fmt.Sprintf(format, values...))
}

func (c *check) log(name string) (*os.File, error) {
	return os.OpenFile(filepath.Join(c.logs, name+".log"), os.O_CREATE|os.O_TRUNC|os.O_RDWR, 0o600)
}

func (c *check) install(ctx context.Context) (python, cdk string, err error) {
	err = c.both(
		"pip", func(log *os.File) (err error) { python, err = installEmulator(ctx, c.root, log); return err },
		"npm", func(log *os.File) (err error) { cdk, err = installCDK(ctx, c.root, log); return err })
	return python, cdk, err
}

// both runs two steps at the same time, each with its own log.
func (c *check) both(first string, one func(log *os.File) error, second string, other func(log *os.File) error) error {
	logged := func(name string, step func(log *os.File) error) error {
		log, err := c.log(name)
		if err != nil {
			return err
		}
		defer log.Close()
		return step(log)
	}
	var steps sync.WaitGroup
	var oneFailed, otherFailed error
	steps.Go(func() { oneFailed = logged(first, one) })
	steps.Go(func() { otherFailed = logged(second, other) })
	steps.Wait()
	return errors.Join(oneFailed, otherFailed)
}

// deployTo synthesizes the template as every deployment does, but with functions for
// this machine's architecture, and deploys it unchanged.
func (c *check) deployTo(ctx context.Context, e *emulator, cdk string) (*deployment, error) {
	assembly, outputs := filepath.Join(c.work, "cdk.out"), filepath.Join(c.work, "outputs.json")
	env := environment("AWS_ENDPOINT_URL="+e.endpoint, "AWS_ENDPOINT_URL_S3="+e.endpoint, "AWS_ACCESS_KEY_ID="+accessKey,
		"AWS_SECRET_ACCESS_KEY="+accessKey, "AWS_REGION="+region, "AWS_CONFIG_FILE="+os.DevNull,
		"AWS_SHARED_CREDENTIALS_FILE="+os.DevNull, "AWS_EC2_METADATA_DISABLED=true", "TMPDIR="+c.work,
		"CDK_DISABLE_VERSION_CHECK=1", "CDK_DISABLE_CLI_TELEMETRY=true")
	c.say("Synthesize the template; prepare the account")
	err := c.both(
		"synth", func(log *os.File) error {
			return run(ctx, filepath.Join(c.root, "infra"), env, log, "node", cdk, "synth", "--quiet",
				"-c", "stage="+stage, "-c", "build="+c.built, "--output", assembly)
		},
		"bootstrap", func(log *os.File) error {
			return run(ctx, c.work, env, log, "node", cdk, "bootstrap", "aws://"+account+"/"+region)
		})
	if err != nil {
		return nil, err
	}
	c.say("Deploy")
	log, err := c.log("deploy")
	if err != nil {
		return nil, err
	}
	defer log.Close()
	if err := run(ctx, c.work, env, log, "node", cdk, "deploy", "--app", assembly, "--require-approval", "never",
		"--outputs-file", outputs); err != nil {
		return nil, err
	}
	return c.read(e, assembly, outputs)
}

// read reads what the CDK has written: the template and the stack's outputs.
func (c *check) read(e *emulator, assembly, outputs string) (*deployment, error) {
	d := &deployment{check: c, cloud: newCloud(e.endpoint)}
	var err error
	if d.template, err = readTemplate(filepath.Join(assembly, templateFile)); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(outputs)
	if err != nil {
		return nil, err
	}
	var stacks map[string]struct{ BaseURL, TableName string }
	if err := json.Unmarshal(text, &stacks); err != nil {
		return nil, err
	}
	d.baseURL, d.table = stacks[stack].BaseURL, stacks[stack].TableName
	if d.baseURL == "" || d.table == "" {
		return nil, fmt.Errorf("the stack %s has no outputs BaseUrl and TableName: %s", stack, text)
	}
	return d, nil
}

// deployment is the platform on the emulator.
type deployment struct {
	*check
	*cloud
	template template
	baseURL  string // of the API
	table    string
}
