package rules_test

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestTheLinkerDropsWhatIsNotCalled: it keeps every exported method of every type as soon as anything in a program
// looks methods up by a name known at run time only, as text/template does. Then each program carries the whole client
// of the table, 4 MB that are loaded at every cold start. Any library may bring that, so it is seen at the client's own
// methods. It takes seconds, to link two programs.
func TestTheLinkerDropsWhatIsNotCalled(t *testing.T) {
	t.Parallel()
	const client = "github.com/aws/aws-sdk-go-v2/service/dynamodb.(*Client)."
	for _, family := range []string{"sandbox", "checkouts"} {
		program := filepath.Join(t.TempDir(), family)
		goTool(t, "build", "-tags", "lambda.norpc", "-o", program, module+"functions/"+family+"/bootstrap")
		symbols := goTool(t, "tool", "nm", program)
		if !strings.Contains(symbols, client+"TransactWriteItems\n") {
			t.Errorf("%s: got no TransactWriteItems linked, want it, or this test checks nothing", family)
		}
		if strings.Contains(symbols, "go.opentelemetry.io/") {
			t.Errorf("%s: got OpenTelemetry linked, want it with the tag otel only", family)
		}
		if strings.Contains(symbols, client+"CreateBackup\n") {
			t.Errorf("%s: got CreateBackup linked, want only what is called: see who calls reflect's MethodByName with "+
				"go build -ldflags=-dumpdep", family)
		}
	}
}
