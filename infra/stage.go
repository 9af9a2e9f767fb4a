package main

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/aws/aws-cdk-go/awscdk/v2"
)

// maxStage leaves 34 of Lambda's 64 characters to <name> of cashwrap-<stage>-<name> (TestEveryNameFitsTheLongestStage).
const maxStage = 20

var stageName = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)

// expected are words that suggest prod's protection, also with a number; prod2 or eu-live has as little as dev.
var expected = []string{prod, "production", "prd", "live"}

// taken are endings of things' names after the stage's: keys of table and files, and the restored table (guide,
// "Restoring the table"). A stage dev-table would have the name of dev's key.
var taken = []string{"table", "files", "restored"}

// checkStage checks a name, such as a pull request's. All stages but prod are deleted with their data.
func checkStage(name string) error {
	words := strings.Split(name, "-")
	switch {
	case !stageName.MatchString(name) || len(name) > maxStage:
		return fmt.Errorf("context stage=%s: give a name of at most %d lower-case letters, digits and single hyphens, "+
			"which begins with a letter, such as dev or pr-123", name, maxStage)
	case name != prod && slices.ContainsFunc(words, func(word string) bool {
		return slices.Contains(expected, strings.TrimRight(word, "0123456789"))
	}):
		return fmt.Errorf("context stage=%s: only the stage %s is protected; give others no name that says so", name, prod)
	case len(words) > 1 && slices.Contains(taken, words[len(words)-1]):
		return fmt.Errorf("context stage=%s: its resources would be named like those of the stage %s", name,
			strings.Join(words[:len(words)-1], "-"))
	default:
		return nil
	}
}

var (
	accountID  = regexp.MustCompile(`^[0-9]{12}$`)
	regionName = regexp.MustCompile(`^[a-z]{2}(-[a-z]+)+-[0-9]$`)
)

func (c *context) checkPlace(s settings) {
	switch {
	case s.production() && (s.Account == "" || s.Region == ""):
		c.problems = append(c.problems, errNotPinned)
		return
	case (s.Account == "") != (s.Region == ""):
		c.wrong("account and region: give both or none")
	}
	if s.Account != "" && !accountID.MatchString(s.Account) {
		c.wrong("account=%s is not 12 digits in quotes", s.Account)
	}
	if s.Region != "" && !regionName.MatchString(s.Region) {
		c.wrong("region=%s is not the name of a region, such as eu-central-1", s.Region)
	}
}

var errNotPinned = errors.New("context account and region: prod needs both, in cdk.json under stages, " +
	"so that no other account is mistaken for it")

// accountVariable is set by the CDK's command to the account of the credentials, if there are any.
const accountVariable = "CDK_DEFAULT_ACCOUNT"

// checkCredentials refuses other accounts than the stage's, also where a role there would do for the CDK.
func (s settings) checkCredentials(account string) error {
	if account == "" || s.Account == "" || account == s.Account {
		return nil
	}
	return fmt.Errorf("stage %s is pinned to the account %s, and these credentials are of %s", s.Stage, s.Account, account)
}

// place is where the stack goes; nil: by the credentials, so that an unpinned stage has the same template everywhere.
func (s settings) place() *awscdk.Environment {
	if s.Account == "" {
		return nil
	}
	return &awscdk.Environment{Account: &s.Account, Region: &s.Region}
}
