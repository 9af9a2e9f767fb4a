package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	goruntime "runtime"
	"strings"
)

// walked are the chapters of the operating guide whose lines are run, in order.
var walked = []string{"Before you start", "First deployment"}

var errGuide = errors.New("infra/README.md")

// linesOf returns the lines of all ```sh blocks of the guide's chapters.
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

// walk runs the guide's lines in the repository's root, with the environment of an emulator.
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

// overTLS is curl's header of API Gateway: the emulator has no TLS, and the platform serves nothing without.
const overTLS = `header = "X-Forwarded-Proto: https"` + "\n"

// operator returns the environment of an operator's shell, whose account is the emulator.
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
