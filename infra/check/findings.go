package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"
)

// finding is a resource of the template that breaks a checker's rule.
type finding struct{ rule, resource string }

func (f finding) String() string { return f.rule + " at " + f.resource }

// checkFindings compares the findings of cfn-lint, checkov and cdk-nag in the folder's template with its answers
// (infra/findings.go). The error names each finding without an answer, and each answer without a finding.
func checkFindings(ctx context.Context, root, folder string, out io.Writer) error {
	synthesized, err := os.ReadFile(filepath.Join(folder, templateFile))
	if err != nil {
		return fmt.Errorf("run `make synth` first: %w", err)
	}
	var t synthesizedTemplate
	if err = json.Unmarshal(synthesized, &t.whole); err == nil {
		err = json.Unmarshal(synthesized, &t)
	}
	if err != nil {
		return err
	}
	answered := t.answers()
	bare, err := t.withoutAnswers()
	if err != nil {
		return err
	}
	file := filepath.Join(folder, "unanswered.json")
	if err = os.WriteFile(file, bare, 0o600); err != nil {
		return err
	}
	found, err := collectFindings(ctx, root, folder, file, t)
	if err != nil {
		return err
	}
	if err = compare(found, answered); err == nil {
		fmt.Fprintf(out, "cdk-nag, cfn-lint and checkov: %d findings, each with its answer.\n", len(found))
	}
	return err
}

func compare(found, answered map[finding]bool) error {
	var problems []error
	for _, f := range sortFindings(found) {
		if !answered[f] {
			problems = append(problems, fmt.Errorf("%s: neither repaired nor answered in infra/findings.go", f))
		}
	}
	for _, f := range sortFindings(answered) {
		if !found[f] {
			problems = append(problems, fmt.Errorf("%s: answered in infra/findings.go, and nothing finds it", f))
		}
	}
	return errors.Join(problems...)
}

func sortFindings(set map[finding]bool) []finding {
	var all []finding
	for f := range set {
		all = append(all, f)
	}
	slices.SortFunc(all, func(a, b finding) int {
		return cmp.Or(strings.Compare(a.rule, b.rule), strings.Compare(a.resource, b.resource))
	})
	return all
}

type synthesizedTemplate struct {
	Resources map[string]struct {
		Metadata struct {
			Path string `json:"aws:cdk:path"`
			Nag  struct {
				Rules []struct {
					ID string `json:"id"`
				} `json:"rules_to_suppress"`
			} `json:"cdk_nag"`
			Lint struct {
				Config struct {
					Ignore []string `json:"ignore_checks"`
				} `json:"config"`
			} `json:"cfn-lint"`
			Checkov struct {
				Skip []struct {
					ID string `json:"id"`
				} `json:"skip"`
			} `json:"checkov"`
		}
	}

	whole map[string]any
}

func (t synthesizedTemplate) answers() map[finding]bool {
	answered := map[finding]bool{}
	for id, r := range t.Resources {
		for _, rule := range r.Metadata.Nag.Rules {
			answered[finding{rule.ID, id}] = true
		}
		for _, rule := range r.Metadata.Lint.Config.Ignore {
			answered[finding{rule, id}] = true
		}
		for _, rule := range r.Metadata.Checkov.Skip {
			answered[finding{rule.ID, id}] = true
		}
	}
	return answered
}

// withoutAnswers returns the template without answers, so that cfn-lint and checkov report everything.
func (t synthesizedTemplate) withoutAnswers() ([]byte, error) {
	resources, _ := t.whole["Resources"].(map[string]any)
	for _, r := range resources {
		r, _ := r.(map[string]any)
		metadata, _ := r["Metadata"].(map[string]any)
		delete(metadata, "cfn-lint")
		delete(metadata, "checkov")
	}
	return json.Marshal(t.whole)
}

func collectFindings(ctx context.Context, root, folder, file string, t synthesizedTemplate) (map[finding]bool, error) {
	var lint, scan, nag []finding
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		report, err := runChecker(ctx, root, "cfn-lint", cfnLintList, "--regions", "eu-central-1", "--format", "json",
			"--", file)
		if err == nil {
			lint, err = lintFindings(report)
		}
		return err
	})
	group.Go(func() error {
		report, err := runChecker(ctx, root, "checkov", checkovList, "--file", file, "--framework", "cloudformation",
			"--skip-download", "--quiet", "--compact", "--output", "json")
		if err == nil {
			scan, err = checkovFindings(report)
		}
		return err
	})
	group.Go(func() (err error) {
		nag, err = nagFindings(folder, t)
		return err
	})
	if err := group.Wait(); err != nil {
		return nil, err
	}
	found := map[finding]bool{}
	for _, f := range slices.Concat(lint, scan, nag) {
		found[f] = true
	}
	return found, nil
}

// runChecker installs and runs a checker, and returns its report. Findings are not an error.
func runChecker(ctx context.Context, root, name, list string, args ...string) ([]byte, error) {
	programs, err := installPython(ctx, root, name, list)
	if err != nil {
		return nil, err
	}
	command := exec.CommandContext(ctx, filepath.Join(programs, name), args...)
	command.Dir = root
	var failure strings.Builder
	command.Stderr = &failure
	report, err := command.Output()
	if _, found := errors.AsType[*exec.ExitError](err); found && json.Valid(report) {
		return report, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", name, err, failure.String())
	}
	return report, nil
}

func lintFindings(report []byte) ([]finding, error) {
	var matches []struct {
		Rule     struct{ ID string } `json:"Rule"`
		Location struct{ Path []any }
	}
	if err := json.Unmarshal(report, &matches); err != nil {
		return nil, fmt.Errorf("cfn-lint: %w", err)
	}
	var all []finding
	for _, m := range matches {
		place := fmt.Sprint(m.Location.Path...)
		if len(m.Location.Path) > 1 && m.Location.Path[0] == "Resources" {
			place = fmt.Sprint(m.Location.Path[1])
		}
		all = append(all, finding{m.Rule.ID, place})
	}
	return all, nil
}

func checkovFindings(report []byte) ([]finding, error) {
	var scan struct {
		Summary struct {
			Passed        int
			ParsingErrors int `json:"parsing_errors"`
		}
		Results struct {
			Failed []struct {
				ID       string `json:"check_id"`
				Resource string
			} `json:"failed_checks"`
		}
	}
	if err := json.Unmarshal(report, &scan); err != nil {
		return nil, fmt.Errorf("checkov: %w", err)
	}
	if scan.Summary.Passed == 0 || scan.Summary.ParsingErrors > 0 {
		return nil, errors.New("checkov: it could not read the template")
	}
	var all []finding
	for _, f := range scan.Results.Failed {
		_, name, _ := strings.Cut(f.Resource, ".") // without the type before the dot
		all = append(all, finding{f.ID, name})
	}
	return all, nil
}

// nagFindings reads the findings from cdk-nag's reports. Each rule pack has one report.
func nagFindings(folder string, t synthesizedTemplate) ([]finding, error) {
	ids := map[string]string{} // by path
	for id, r := range t.Resources {
		ids[r.Metadata.Path] = id
	}
	reports, err := filepath.Glob(filepath.Join(folder, "*-NagReport.json"))
	if err != nil || len(reports) == 0 {
		return nil, errors.Join(errors.New("cdk-nag has written no report"), err)
	}
	var all []finding
	for _, file := range reports {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		var report struct {
			Lines []struct{ RuleID, ResourceID, Compliance string }
		}
		if err := json.Unmarshal(text, &report); err != nil {
			return nil, fmt.Errorf("cdk-nag: %w", err)
		}
		for _, line := range report.Lines {
			if line.Compliance != "Compliant" && line.Compliance != "N/A" {
				all = append(all, finding{line.RuleID, cmp.Or(ids[line.ResourceID], line.ResourceID)})
			}
		}
	}
	return all, nil
}
