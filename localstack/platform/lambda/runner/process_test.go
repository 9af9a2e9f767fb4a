package runner

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/functions"
	"github.com/cashwrap/cashwrap/localstack/platform/lambda/runtime"
	"github.com/cashwrap/cashwrap/shared/app"
)

// TestPrograms_Environment checks that a program gets only its queues, secrets and bucket, as when deployed.
func TestPrograms_Environment(t *testing.T) {
	t.Parallel()
	c := newConfig(t)
	programs := Programs{Folder: "/built", Environment: maps.Clone(c.Environment), Credentials: c.Overrides.Credentials}
	c.Environment["FILE_BUCKET"], programs.Environment["FILE_BUCKET"] = Bucket, Bucket
	acquirers := string(app.AcquirerSecret)
	c.Environment[acquirers], programs.Environment[acquirers] = "{}", "{}"
	for _, q := range functions.Queues {
		programs.Environment[q.Variable] = "http://queues.test/" + q.Name
	}
	for _, f := range functions.All {
		program, err := programs.Of(t.Context(), f)
		if err != nil {
			t.Fatal(err)
		}
		environment := maps.Clone(c.Environment)
		if !f.Access().Objects {
			delete(environment, "FILE_BUCKET")
		}
		for _, q := range f.Access().Sends {
			environment[q.Variable] = "http://queues.test/" + q.Name
		}
		for _, s := range app.Secrets {
			if slices.Contains(f.Access().Secrets, s) {
				if s != app.AcquirerSecret { // on this machine the other two are the same
					environment[string(s)] = c.Environment["PLATFORM_SECRET"]
				}
				continue
			}
			for _, suffix := range []string{"", "_SINCE", "_PREVIOUS", "_PREVIOUS_SINCE"} {
				delete(environment, string(s)+suffix)
			}
		}
		keys, err := c.Overrides.Credentials.Retrieve(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		environment["AWS_ACCESS_KEY_ID"], environment["AWS_SECRET_ACCESS_KEY"] = keys.AccessKeyID, keys.SecretAccessKey
		environment["AWS_SESSION_TOKEN"] = keys.SessionToken
		want := runtime.Config{Name: f.Name, Program: "/built/" + f.Name + "/bootstrap", Environment: environment,
			ARN: "arn:aws:lambda:eu-central-1:000000000000:function:" + f.Name, Timeout: f.Timeout}
		if f.Name == "callbacks" { // one slow message must not delay the others
			want.Instances = maxProcesses
		}
		if diff := cmp.Diff(want, program); diff != "" {
			t.Errorf("%s (-want +got):\n%s", f.Name, diff)
		}
	}
}
