package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// minReason is the minimum length of the reason of an answer, in characters.
const minReason = 40

// TestAddAnswers checks that the template has each answer and its reason at the place where the checker reads them.
// `make synth` runs the checkers and finds answers that are not needed.
func TestAddAnswers(t *testing.T) {
	t.Parallel()
	given := map[string]string{} // by rule and type of resource
	for _, r := range inProd(t).resources {
		nag, _ := r.Metadata["cdk_nag"].(map[string]any)
		for _, a := range objectList(nag["rules_to_suppress"]) {
			given[fmt.Sprint(a["id"], " ", r.Type)] += fmt.Sprint(a["reason"])
		}
		checkov, _ := r.Metadata["checkov"].(map[string]any)
		for _, a := range objectList(checkov["skip"]) {
			given[fmt.Sprint(a["id"], " ", r.Type)] += fmt.Sprint(a["comment"])
		}
		lint, _ := r.Metadata["cfn-lint"].(map[string]any)
		if config, _ := lint["config"].(map[string]any); config != nil {
			for _, rule := range config["ignore_checks"].([]any) {
				given[fmt.Sprint(rule, " ", r.Type)] += reasonOf(rule, r.Type) // cfn-lint has no place for a reason
			}
		}
	}
	for _, a := range answers {
		for _, rule := range a.rules {
			if got := given[rule+" "+a.of]; !strings.Contains(got, a.reason) || len(a.reason) < minReason {
				t.Errorf("%s at %s: got %q, want %q in it, of at least %d characters", rule, a.of, got, a.reason, minReason)
			}
		}
		if slices.Contains(a.rules, "AwsSolutions-IAM5") && len(a.only) == 0 {
			t.Errorf("got answer %+v, want it to name its wildcards", a)
		}
	}
}

func reasonOf(rule any, of string) string {
	for _, a := range answers {
		if a.of == of && slices.Contains(a.rules, fmt.Sprint(rule)) {
			return a.reason
		}
	}
	return ""
}

func objectList(list any) []map[string]any {
	var all []map[string]any
	entries, _ := list.([]any)
	for _, e := range entries {
		all = append(all, e.(map[string]any))
	}
	return all
}
