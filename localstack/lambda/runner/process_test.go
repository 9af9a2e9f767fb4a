package runner

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/functions"
)

// TestAProgramHearsOnlyOfItsOwnQueues: in a deployment nobody else knows their URLs.
func TestAProgramHearsOnlyOfItsOwnQueues(t *testing.T) {
	t.Parallel()
	c := newConfig(t)
	programs := Programs{Folder: "/built", Environment: maps.Clone(c.Environment), Credentials: c.Overrides.Credentials}
	for _, q := range functions.Queues {
		programs.Environment[q.Variable] = "http://queues.test/" + q.Name
	}
	for _, f := range functions.All {
		program, err := programs.Of(t.Context(), f)
		if err != nil {
			t.Fatal(err)
		}
		for _, q := range functions.Queues {
			_, told := program.Environment[q.Variable]
			if sends := slices.Contains(f.Access().Sends, q); told != sends {
				t.Errorf("%s is told of %s: %t, it sends there: %t", f.Name, q.Name, told, sends)
			}
		}
		if program.Environment["AWS_ACCESS_KEY_ID"] == "" || program.Environment["TABLE"] != "cashwrap" ||
			program.Program != "/built/"+f.Name+"/bootstrap" || program.Timeout != f.Timeout || program.Timeout < time.Second {
			t.Errorf("%s: %s, %v", f.Name, program.Program, program.Timeout)
		}
	}
}
