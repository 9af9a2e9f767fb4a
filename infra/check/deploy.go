package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// stage is the stage that the guide's lines deploy. The names of the stage's resources begin with the stack's name.
const (
	stage = "dev"
	stack = "cashwrap-" + stage
)

// limit ends a check that hangs. A check takes two to three minutes on two processors.
const limit = 15 * time.Minute

type check struct {
	root    string
	logs    string // folder that stays after the check
	work    string // folder that is deleted at the end
	out     io.Writer
	started time.Time
}

// deploy deploys the template to an emulator and tests the deployment. When it returns, all processes that it started
// have ended.
func deploy(ctx context.Context, root string, out io.Writer) (err error) {
	if err = checkPrograms(); err != nil {
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

func (c *check) runSteps(ctx context.Context) error {
	c.say("Install the emulator and the AWS CLI, unless they are installed")
	programs, err := installPython(ctx, c.root, "emulator", emulatorList)
	if err != nil {
		return err
	}
	log, err := c.openLog("emulator")
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
	c.say("Deploy by the lines of the guide: %s", strings.Join(guideChapters, ", "))
	d, err := c.runGuide(ctx, e, programs)
	if err != nil {
		return err
	}
	if err := d.verify(ctx); err != nil {
		return err
	}
	return d.runScenario(ctx)
}

func (c *check) say(format string, values ...any) {
	fmt.Fprintf(c.out, "%4.0f s  %s\n", time.Since(c.started).Seconds(), fmt.Sprintf(format, values...))
}

func (c *check) openLog(name string) (*os.File, error) {
	return os.OpenFile(filepath.Join(c.logs, name+".log"), os.O_CREATE|os.O_TRUNC|os.O_RDWR, 0o600)
}

func (c *check) readDeployment(e *emulator, assembly, outputs string) (*deployment, error) {
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

type deployment struct {
	*check
	*cloud
	template template
	baseURL  string // of the API
	table    string
	commit   string // of the code that was built
}
