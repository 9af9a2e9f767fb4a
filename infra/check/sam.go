package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/cashwrap/cashwrap/localstack/platform"
)

// runSAM runs the API under SAM, on the template of `make synth`, with the environment of `make run`. SAM resolves no
// references and sets only variables that the template has. So runSAM writes the variables' values into a copy of the
// template.
func runSAM(ctx context.Context, root string, out io.Writer) error {
	if err := checkSAMPrograms(); err != nil {
		return err
	}
	b, err := platform.Folder(filepath.Join(root, ".local")).Surroundings()
	if err != nil {
		return err
	}
	assembly := filepath.Join(root, ".build", "cdk.out")
	synthesized, err := os.ReadFile(filepath.Join(assembly, templateFile))
	if err != nil {
		return fmt.Errorf("run `make synth` first: %w", err)
	}
	template, err := forSAM(synthesized, assembly, b.Environment)
	if err != nil {
		return err
	}
	file := filepath.Join(root, ".local", "sam", "template.json") // as in samconfig.toml
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(file, template, 0o600); err != nil { // the template has the secret
		return err
	}
	env := append(environment("AWS_ACCESS_KEY_ID="+b.AccessKey, "AWS_SECRET_ACCESS_KEY="+b.AccessKey,
		"AWS_REGION="+b.Environment["AWS_REGION"], "SAM_CLI_TELEMETRY=0"), proxyVariables(os.Environ())...)
	cmd := exec.CommandContext(ctx, "sam", "local", "start-api")
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = root, env, os.Stdin, out, os.Stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // so that sam ends its containers
	return cmd.Run()
}

func checkSAMPrograms() error {
	var problems []error
	if _, err := exec.LookPath("sam"); err != nil {
		problems = append(problems, errors.New("no sam is in the PATH: install the AWS SAM CLI (pip install aws-sam-cli)"))
	}
	if _, err := exec.LookPath("docker"); err != nil {
		problems = append(problems, errors.New("SAM runs functions in containers, and no docker is in the PATH"))
	} else if err := exec.Command("docker", "info").Run(); err != nil {
		problems = append(problems, errors.New("SAM runs functions in containers, and `docker info` reaches no Docker"))
	}
	return errors.Join(problems...)
}

// forSAM returns the template with absolute paths of the code. Each function gets its variables, except the variables
// that SAM sets (AWS_…).
func forSAM(synthesized []byte, assembly string, variables map[string]string) ([]byte, error) {
	var whole map[string]any
	if err := json.Unmarshal(synthesized, &whole); err != nil {
		return nil, err
	}
	own := map[string]string{}
	for name, value := range variables {
		if !strings.HasPrefix(name, "AWS_") {
			// In a container this machine has another name.
			own[name] = strings.NewReplacer("//127.0.0.1:", "//host.docker.internal:").Replace(value)
		}
	}
	own["BASE_URL"] = variables["BASE_URL"] // used by the payer's browser
	resources, _ := whole["Resources"].(map[string]any)
	for id, r := range resources {
		r, _ := r.(map[string]any)
		if r["Type"] != "AWS::Lambda::Function" {
			continue
		}
		properties, _ := r["Properties"].(map[string]any)
		metadata, _ := r["Metadata"].(map[string]any)
		asset, _ := metadata["aws:asset:path"].(string)
		if properties == nil || asset == "" {
			return nil, fmt.Errorf("%s has no code", id)
		}
		properties["Environment"] = map[string]any{"Variables": own}
		metadata["aws:asset:path"] = filepath.Join(assembly, asset)
	}
	return json.MarshalIndent(whole, "", " ")
}

// proxyVariables returns the variables that set proxies. The Go function environment drops these variables, but Docker
// may need them.
func proxyVariables(variables []string) []string {
	var found []string
	for _, variable := range variables {
		if name, _, _ := strings.Cut(variable, "="); strings.HasSuffix(strings.ToUpper(name), "_PROXY") {
			found = append(found, variable)
		}
	}
	return found
}
