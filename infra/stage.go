package main

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/aws/aws-cdk-go/awscdk/v2"
)

// maxStage leaves 34 of Lambda's 64 characters for <name> in cashwrap-<stage>-<name> (TestNames_FitLongestStage).
const maxStage = 20

var stageName = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)

// protectedWords are words that suggest, with or without a number, that a stage has prod's protection. checkStage
// refuses names with such words, except prod itself, because a stage prod2 or eu-live would be unprotected, like dev.
var protectedWords = []string{prod, "production", "prd", "live"}

// reservedEndings are endings that follow the stage in names of resources: the table's key, the files' key, and the
// restored table (guide, "Restoring the table"). The resources of a stage dev-table would need the name that the key of
// dev's table already has.
var reservedEndings = []string{"table", "files", "restored"}

// checkStage checks the name of a stage, such as a pull request's. Deleting a stage other than prod deletes its data.
func checkStage(name string) error {
	words := strings.Split(name, "-")
	switch {
	case !stageName.MatchString(name) || len(name) > maxStage:
		return fmt.Errorf("context stage=%s: give a name of at most %d lower-case letters, digits and single hyphens, "+
			"which begins with a letter, such as dev or pr-123", name, maxStage)
	case name != prod && slices.ContainsFunc(words, func(word string) bool {
		return slices.Contains(protectedWords, strings.TrimRight(word, "0123456789"))
	}):
		return fmt.Errorf("context stage=%s: only the stage %s is protected; give others no name that says so", name, prod)
	case len(words) > 1 && slices.Contains(reservedEndings, words[len(words)-1]):
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

func (c *cdkContext) checkAccount(s settings) {
	switch {
	case s.isProd() && (s.Account == "" || s.Region == ""):
		c.problems = append(c.problems, errNotPinned)
		return
	case (s.Account == "") != (s.Region == ""):
		c.addProblem("account and region: give both or none")
	}
	if s.Account != "" && !accountID.MatchString(s.Account) {
		c.addProblem("account=%s is not 12 digits in quotes", s.Account)
	}
	if s.Region != "" && !regionName.MatchString(s.Region) {
		c.addProblem("region=%s is not the name of a region, such as eu-central-1", s.Region)
	}
}

var errNotPinned = errors.New("context account and region: prod needs both, in cdk.json under stages, " +
	"so that no other account is mistaken for it")

// accountVariable is the environment variable with the account of the operator's credentials. The CDK's command sets it
// if there are credentials.
const accountVariable = "CDK_DEFAULT_ACCOUNT"

// checkCredentials refuses credentials of an account that is not the stage's account. Without this check, the CDK would
// accept such credentials if they could assume a role in the stage's account.
func (s settings) checkCredentials(account string) error {
	if account == "" || s.Account == "" || account == s.Account {
		return nil
	}
	return fmt.Errorf("stage %s is pinned to the account %s, and these credentials are of %s", s.Stage, s.Account, account)
}

// cdkEnvironment returns the stack's account and region, or nil if the stage's settings do not set them. With nil the
// operator's credentials decide, and the template is the same everywhere.
func (s settings) cdkEnvironment() *awscdk.Environment {
	if s.Account == "" {
		return nil
	}
	return &awscdk.Environment{Account: &s.Account, Region: &s.Region}
}
