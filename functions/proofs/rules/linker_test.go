package rules_test

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestLinker_DropsUncalledMethods checks that programs do not contain uncalled methods of the table's client. The
// linker keeps every exported method of every type once any code looks up methods by a name known only at run time, as
// text/template does. Each program would then contain the table's whole client, 4 MB that are loaded at every cold
// start. Any library may cause this, so the test looks for the client's methods. It links two programs, which takes
// seconds.
func TestLinker_DropsUncalledMethods(t *testing.T) {
	t.Parallel()
	const client = "github.com/aws/aws-sdk-go-v2/service/dynamodb.(*Client)."
	for _, family := range []string{"sandbox", "checkouts"} {
		program := filepath.Join(t.TempDir(), family)
		runGo(t, "build", "-tags", "lambda.norpc", "-o", program, module+"functions/"+family+"/bootstrap")
		symbols := runGo(t, "tool", "nm", program)
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
