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

// guideChapters are the chapters of the operating guide whose lines are run, in order.
var guideChapters = []string{"Before you start", "First deployment"}

var errGuide = errors.New("infra/README.md")

// shellLines returns the lines of all ```sh blocks of the guide's chapters.
func shellLines(guide string, chapters ...string) (string, error) {
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

// runGuide runs the guide's lines in the repository's root, with the environment of an emulator.
func (c *check) runGuide(ctx context.Context, e *emulator, programs string) (*deployment, error) {
	guide, err := os.ReadFile(filepath.Join(c.root, "infra", "README.md"))
	if err != nil {
		return nil, err
	}
	lines, err := shellLines(string(guide), guideChapters...)
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
	log, err := c.openLog("guide")
	if err != nil {
		return nil, err
	}
	defer log.Close()
	assembly, outputs := filepath.Join(c.work, "cdk.out"), filepath.Join(c.work, "outputs.json")
	// The shell prints each line before it runs, and stops at the first line that fails.
	if err := run(ctx, c.root, c.operatorEnv(e, programs, assembly, outputs), log, "bash", "-euxo", "pipefail",
		script); err != nil {
		return nil, err
	}
	return c.readDeployment(e, assembly, outputs)
}

// overTLS makes curl send API Gateway's header. The emulator has no TLS, and the platform serves nothing without this
// header.
const overTLS = `header = "X-Forwarded-Proto: https"` + "\n"

// operatorEnv returns the environment of an operator's shell, with the emulator as the account.
func (c *check) operatorEnv(e *emulator, programs, assembly, outputs string) []string {
	return environment(
		"AWS_ENDPOINT_URL="+e.endpoint, "AWS_ENDPOINT_URL_S3="+e.endpoint, "AWS_ACCESS_KEY_ID="+accessKey,
		"AWS_SECRET_ACCESS_KEY="+accessKey, "AWS_CONFIG_FILE="+os.DevNull, "AWS_SHARED_CREDENTIALS_FILE="+os.DevNull,
		"AWS_EC2_METADATA_DISABLED=true", "AWS_PAGER=", "TMPDIR="+c.work, "CURL_HOME="+c.work,
		// The pinned AWS CLI has version 1, which reads the region from this variable.
		"PATH="+programs+string(os.PathListSeparator)+os.Getenv("PATH"), "AWS_DEFAULT_REGION="+region,
		// The emulator runs the functions as processes of this machine.
		"MAKEFLAGS=ARCH="+goruntime.GOARCH+" BUILD=.build/emulator",
		// The CDK's options. No operator can approve, and the check reads the CDK's output.
		"CDK_REQUIRE_APPROVAL=never", "CDK_OUTPUT="+assembly, "CDK_OUTPUTS_FILE="+outputs,
		"CDK_DISABLE_VERSION_CHECK=1", "CDK_DISABLE_CLI_TELEMETRY=true")
}
