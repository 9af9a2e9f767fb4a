package main

import (
	"errors"
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestShellLines_Guide checks the guide's lines. They must prepare the account with the command that needs no built
// function, deploy, and read from the deployment. Region and stage must be those of the check.
func TestShellLines_Guide(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	lines, err := shellLines(string(guide), guideChapters...)
	if err != nil {
		t.Fatal(err)
	}
	rest := lines
	for _, want := range []string{"export AWS_REGION=" + region + " STAGE=" + stage, "export ACCOUNT=$(aws sts ",
		"make bootstrap\n", "make deploy STAGE=$STAGE\n", "aws cloudformation describe-stacks ", "curl --fail ",
		"$BASE_URL/healthz\n"} {
		_, after, found := strings.Cut(rest, want)
		if !found {
			t.Fatalf("got lines\n%s\nwant %q in them, after the one before", lines, want)
		}
		rest = after
	}
	makefile, err := os.ReadFile("../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	for _, called := range regexp.MustCompile("(?:`|&& |(?m:^ *))make ([a-z-]+)").FindAllStringSubmatch(lines+
		strings.Join(regexp.MustCompile("`make [^`]*`").FindAllString(string(guide), -1), "\n"), -1) {
		if !regexp.MustCompile(`(?m)^` + called[1] + `:`).Match(makefile) {
			t.Errorf("got `make %s` in the guide, want a target of the Makefile", called[1])
		}
	}
}

func TestShellLines_Chapter(t *testing.T) {
	t.Parallel()
	const guide = "# Guide\n\n## One\n\n1. Do:\n\n   ```sh\n   first \\\n     --more\n   ```\n\n```json\n{}\n```\n" +
		"`prose`\n```sh\nsecond\n```\n## Two\n```sh\nthird\n```\n\n## Three\n\nNothing to run.\n"
	for _, c := range []struct {
		chapters []string
		want     string
	}{
		{[]string{"One"}, "   first \\\n     --more\nsecond\n"},
		{[]string{"Two", "One"}, "third\n   first \\\n     --more\nsecond\n"},
		{[]string{"Three"}, ""}, {[]string{"Four"}, ""},
	} {
		got, err := shellLines(guide, c.chapters...)
		if c.want == "" && !errors.Is(err, errGuide) || c.want != "" && (err != nil || got != c.want) {
			t.Errorf("%v: got %q and error %v, want %q", c.chapters, got, err, c.want)
		}
	}
}
