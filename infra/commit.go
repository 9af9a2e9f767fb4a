package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// commitFile has the commit that `make build` built, which may not be git's current one. Functions get it as the
// variable COMMIT: in the program it would change each zip with each commit, so that all were uploaded, and `cdk diff`
// would not show which code changed. Either way a deployment replaces all processes, the price of the commit in logs.
const commitFile = "commit"

var commitForm = regexp.MustCompile(`^([0-9a-f]{12,40}(-dirty)?|unknown)$`)

var errCommit = errors.New("the folder of the built functions does not say their commit: run `make build`")

func builtCommit(folder string) (string, error) {
	text, err := os.ReadFile(filepath.Join(folder, commitFile)) //nolint:gosec // the operator's own folder
	if err != nil {
		return "", fmt.Errorf("%w: %w", errCommit, err)
	}
	commit := strings.TrimSpace(string(text))
	if !commitForm.MatchString(commit) {
		return "", fmt.Errorf("%w: got %q", errCommit, commit)
	}
	return commit, nil
}
