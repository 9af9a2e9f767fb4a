package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// commitFile is beside the built functions: `make build` writes into it what they were
// built from. So the stack shows the commit of what it deploys, not the one that git
// has in its folder by now.
//
// The functions get it as a variable, COMMIT, because a function whose code is the
// same then has the same zip after any number of commits: nothing is uploaded again,
// and `cdk diff` shows which functions' code has changed. In the program itself it
// would change every zip with every commit. Either way a deployment replaces all
// functions' processes; that is the price of its being in every line of the log.
const commitFile = "commit"

var commitForm = regexp.MustCompile(`^([0-9a-f]{12,40}(-dirty)?|unknown)$`)

var errCommit = errors.New("the folder of the built functions does not say their commit: run `make build`")

// builtCommit is the commit that the functions in the folder were built from.
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
