package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	goruntime "runtime"
	"strings"
	"time"
)

// stage is the stage that the guide's lines deploy. stack is its stack's name, with which the names
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
	c.say("Install the emulator and the AWS CLI, unless they are installed")
	programs, err := installPython(ctx, c.root, "emulator", emulatorList)
	if err != nil {
		return err
	}
	log, err := c.log("emulator")
	if err != nil {
		return err
	}
	defer log.Close()
	c.say("Start the emulator")
	e, err := startEmulator(ctx, programs, c.root, c.work, log)
	if err != nil {
		return err
	}
	defer e.stop()
	c.say("Deploy by the lines of the guide: %s", strings.Join(walked, ", "))
	d, err := c.walk(ctx, e, programs)
	if err != nil {
		return err
	}
	if err := d.verify(ctx); err != nil {
		return err
	}
	return d.test(ctx)
}

func (c *check) say(format string, values ...any) {
	fmt.Fprintf(c.out, "%4.0f s  %s\n", time.Since(c.started).Seconds(), fmt.Sprintf(format, values...))
}

func (c *check) log(name string) (*os.File, error) {
	return os.OpenFile(filepath.Join(c.logs, name+".log"), os.O_CREATE|os.O_TRUNC|os.O_RDWR, 0o600)
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
	var stacks map[string]struct{ BaseURL, TableName, Commit string }
	if err := json.Unmarshal(text, &stacks); err != nil {
		return nil, err
	}
	d.baseURL, d.table, d.commit = stacks[stack].BaseURL, stacks[stack].TableName, stacks[stack].Commit
	if d.baseURL == "" || d.table == "" || d.commit == "" {
		return nil, fmt.Errorf("the stack %s has no outputs BaseUrl, TableName and Commit: %s", stack, text)
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
	commit   string // of the code that was built
}

// walked are the chapters of the operating guide whose lines are run, in order.
var walked = []string{"Before you start", "First deployment"}

var errGuide = errors.New("infra/README.md")

// linesOf are the lines of all ```sh blocks of the guide's chapters.
func linesOf(guide string, chapters ...string) (string, error) {
	var lines strings.Builder
	for _, title := range chapters {
		_, text, found := strings.Cut(guide, "\n## "+title+"\n")
		if !found {
			return "", fmt.Errorf("%w has no chapter %q", errGuide, title)
		}
		text, _, _ = strings.Cut(text, "\n## ")
		before := lines.Len()
		shell := false
		for line := range strings.Lines(text) {
			switch fence := strings.TrimSpace(line); {
			case strings.HasPrefix(fence, "```"):
				shell = fence == "```sh"
			case shell:
				lines.WriteString(line)
			}
		}
		if lines.Len() == before {
			return "", fmt.Errorf("%w: the chapter %q has no lines for a shell", errGuide, title)
		}
	}
	return lines.String(), nil
}

// walk runs the guide's lines in the repository's root, as an operator does. Only the
// environment is that of an emulator.
func (c *check) walk(ctx context.Context, e *emulator, programs string) (*deployment, error) {
	guide, err := os.ReadFile(filepath.Join(c.root, "infra", "README.md"))
	if err != nil {
		return nil, err
	}
	lines, err := linesOf(string(guide), walked...)
	if err != nil {
		return nil, err
	}
	script := filepath.Join(c.work, "guide.sh")
	if err = os.WriteFile(script, []byte(lines), 0o600); err != nil {
		return nil, err
	}
	if err = os.WriteFile(filepath.Join(c.work, ".curlrc"), []byte(overTLS), 0o600); err != nil {
		return nil, err
	}
	log, err := c.log("guide")
	if err != nil {
		return nil, err
	}
	defer log.Close()
	assembly, outputs := filepath.Join(c.work, "cdk.out"), filepath.Join(c.work, "outputs.json")
	// Each line is printed before it runs, and the first that fails is the last.
	if err := run(ctx, c.root, c.operator(e, programs, assembly, outputs), log, "bash", "-euxo", "pipefail",
		script); err != nil {
		return nil, err
	}
	return c.read(e, assembly, outputs)
}

// overTLS are curl's settings: the emulator has no TLS, and the platform serves nothing
// without. API Gateway sets this header.
const overTLS = `header = "X-Forwarded-Proto: https"` + "\n"

// operator is the environment of an operator's shell, whose account is the emulator.
func (c *check) operator(e *emulator, programs, assembly, outputs string) []string {
	return environment(
		"AWS_ENDPOINT_URL="+e.endpoint, "AWS_ENDPOINT_URL_S3="+e.endpoint, "AWS_ACCESS_KEY_ID="+accessKey,
		"AWS_SECRET_ACCESS_KEY="+accessKey, "AWS_CONFIG_FILE="+os.DevNull, "AWS_SHARED_CREDENTIALS_FILE="+os.DevNull,
		"AWS_EC2_METADATA_DISABLED=true", "AWS_PAGER=", "TMPDIR="+c.work, "CURL_HOME="+c.work,
		// The pinned AWS CLI is of version 1, which reads the region from this.
		"PATH="+programs+string(os.PathListSeparator)+os.Getenv("PATH"), "AWS_DEFAULT_REGION="+region,
		// The emulator runs the functions as processes of this machine.
		"MAKEFLAGS=ARCH="+goruntime.GOARCH+" BUILD=.build/emulator",
		// The CDK's options: nobody is there to approve, and the check reads what it writes.
		"CDK_REQUIRE_APPROVAL=never", "CDK_OUTPUT="+assembly, "CDK_OUTPUTS_FILE="+outputs,
		"CDK_DISABLE_VERSION_CHECK=1", "CDK_DISABLE_CLI_TELEMETRY=true")
}
