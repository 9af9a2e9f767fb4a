package functions_test

import (
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/cashwrap/cashwrap/"

// imports is who may import whom (ARCHITECTURE.md, "Who may import whom"): for each package the packages
// of ours it may import; a package matches the first row that fits. "*" is
// one folder, "/..." everything below. Whatever is not listed is forbidden,
// so a new package needs a row. Imports of tests do not count.
var imports = []struct {
	from string
	may  string
}{
	{"functions", "functions/* shared/app"}, // THE LIST

	// No endpoint family imports another; each program starts its own.
	{"functions/*/bootstrap", "functions/{family} shared/app"},
	{"functions/callbacks", forFunctions + " shared/webhook"},
	{"functions/checkouts", forFunctions + " shared/processing shared/page shared/webhook"},
	{"functions/customers", forFunctions + " shared/acquirer"},
	{"functions/pages", forFunctions + " shared/page shared/webhook"},
	{"functions/payoutplan", forFunctions + " shared/app/queue shared/app/banking shared/payout"},
	{"functions/payoutrun", forFunctions + " shared/app/queue shared/app/banking shared/payout"},
	{"functions/payouts", forFunctions},
	{"functions/polls", forFunctions + " shared/processing"},
	{"functions/provision", forFunctions + " shared/app/banking shared/payout shared/bank/... shared/country shared/processing shared/webhook shared/acquirer shared/acquirer/sandbox"},
	{"functions/receipts", forFunctions + " shared/country"},
	{"functions/reconcile", "shared/app shared/app/banking shared/metric shared/reconcile"},
	{"functions/relay", forFunctions + " shared/app/queue"},
	{"functions/sandbox", forFunctions + " shared/page shared/acquirer shared/acquirer/sandbox"},
	{"functions/sweep", forFunctions + " shared/app/queue shared/processing shared/metric"},
	{"functions/transactions", forFunctions + " shared/processing"},

	{"shared/money", ""},
	{"shared/failure", ""},
	{"shared/optional", ""},
	{"shared/validate", "shared/money shared/failure"},
	{"shared/webhook", ""},
	{"shared/contract", ""},
	{"shared/contract/bundle", ""},
	{"shared/country", ""},
	{"shared/metric", ""},
	{"shared/identity", ""},
	{"shared/merchant", pure + " shared/identity"},
	{"shared/ledger", "shared/money"},
	{"shared/payments", pure + " shared/ledger"},
	{"shared/page", pure + " shared/payments"},
	{"shared/page/pagetest", ""},
	{"shared/acquirer", pure + " shared/payments"},
	{"shared/acquirer/*", pure + " shared/payments shared/acquirer shared/table"},
	{"shared/bank", pure + " shared/identity shared/merchant"},
	{"shared/bank/*", pure + " shared/identity shared/merchant shared/bank shared/table"},
	{"shared/table", ""}, // knows no data of ours
	{"shared/store", pure + " shared/identity shared/merchant shared/ledger shared/payments"},
	{"shared/rest", "shared/failure shared/validate shared/identity shared/merchant shared/store shared/page"},
	{"shared/reconcile", "shared/money shared/identity shared/merchant shared/ledger shared/payments shared/store shared/acquirer shared/bank"},
	{"shared/processing", pure + " shared/identity shared/merchant shared/payments shared/store shared/acquirer"},
	{"shared/payout", pure + " shared/identity shared/merchant shared/payments shared/store shared/bank"},
	{"shared/app", pure + " shared/identity shared/merchant shared/payments shared/page shared/webhook" +
		" shared/store shared/rest shared/processing shared/acquirer/... shared/bank shared/metric"},

	{"shared/app/queue", "shared/identity shared/app"},
	{"shared/app/banking", "shared/identity shared/merchant shared/app shared/bank/... shared/payout"},

	// Tests import localstack, and through its world the contract; programs do not.
	{"localstack/world", "functions shared/... localstack/..."},
	{"localstack/...", "functions localstack/... " + pure + " shared/identity shared/merchant shared/ledger shared/payments shared/webhook" +
		" shared/store shared/rest shared/app shared/acquirer/... shared/bank/... shared/reconcile"},
	{"infra/check", "functions shared/store localstack/demo localstack/lambda/runtime"}, // deploys what it is given
	{"infra/...", "functions shared/app shared/metric shared/payments shared/store"},
}

const (
	pure         = "shared/money shared/failure shared/optional"
	forFunctions = pure + " shared/validate shared/identity shared/merchant shared/payments shared/store shared/rest shared/app"
)

func TestWhoMayImportWhom(t *testing.T) {
	t.Parallel()
	for _, p := range packages(t) {
		rule := slices.IndexFunc(imports, func(r struct{ from, may string }) bool { return within(p.name, r.from) })
		if rule < 0 {
			t.Errorf("%s has no row in the table of imports", p.name)
			continue
		}
		may := strings.Fields(strings.ReplaceAll(imports[rule].may, "{family}", path.Base(path.Dir(p.name))))
		for _, imported := range p.imports {
			ours, ok := strings.CutPrefix(imported, module)
			if ok && !slices.ContainsFunc(may, func(pattern string) bool { return within(ours, pattern) }) {
				t.Errorf("%s imports %s; it may import %s", p.name, ours, strings.Join(may, ", "))
			}
		}
	}
}

// reserved are other people's packages that few of ours may import directly.
var reserved = []struct {
	library string // with everything below it
	only    string
}{
	{"github.com/aws/aws-cdk-go", "infra"},
	{"github.com/aws/constructs-go", "infra"},
	{"github.com/aws/jsii-runtime-go", "infra"},
	{"github.com/cdklabs", "infra"},
	{"github.com/getkin/kin-openapi", "shared/contract"},
	{"github.com/a-h/templ", "functions/checkouts functions/pages functions/sandbox shared/page shared/rest"},
	{"html/template", ""}, // it looks methods up by name, so the linker would keep those of every type
	{"text/template", "localstack/..."},
	{"github.com/aws/aws-lambda-go", "functions/* shared/app localstack/..."},
	{"github.com/aws/aws-sdk-go-v2/service/sqs", "shared/app/queue localstack/... infra/check"},
	{"github.com/aws/aws-sdk-go-v2/config", "localstack/..."},           // slow to start (ARCHITECTURE.md, "Start-up of a function")
	{"github.com/govalues/decimal", "shared/money functions/provision"}, // there for a fee rate
	{"net/http", "functions/* shared/rest shared/app shared/webhook shared/contract shared/store localstack/... infra/check"},
	{"pgregory.net/rapid", ""},
	{"testing", "shared/contract localstack/..."}, // harnesses of tests
}

func TestReservedLibraries(t *testing.T) {
	t.Parallel()
	for _, p := range packages(t) {
		for _, r := range reserved {
			mayUse := slices.ContainsFunc(strings.Fields(r.only), func(pattern string) bool { return within(p.name, pattern) })
			for _, imported := range p.imports {
				if !mayUse && within(imported, r.library+"/...") {
					t.Errorf("%s imports %s; only %q may", p.name, imported, r.only)
				}
			}
		}
	}
}

// absent are packages that no Lambda program may even link: they cost
// start-up, memory and trust.
var absent = []string{
	module + "shared/contract", module + "shared/page/pagetest", module + "localstack", module + "infra",
	"github.com/aws/aws-cdk-go", "github.com/getkin/kin-openapi", "github.com/aws/aws-sdk-go-v2/config",
	"pgregory.net/rapid", "testing",
}

func TestWhatLambdasLink(t *testing.T) {
	t.Parallel()
	for program, linked := range lambdas(t) {
		for _, library := range absent {
			if slices.ContainsFunc(linked, func(name string) bool { return within(name, library+"/...") }) {
				t.Errorf("%s links %s", program, library)
			}
		}
	}
}

// TestOnlySendersLinkSQS: these send, nobody else carries the client.
func TestOnlySendersLinkSQS(t *testing.T) {
	t.Parallel()
	for program, linked := range lambdas(t) {
		sends := slices.Contains([]string{"relay", "sweep", "payoutplan", "payoutrun"}, path.Base(path.Dir(program)))
		if links := slices.Contains(linked, "github.com/aws/aws-sdk-go-v2/service/sqs"); links != sends {
			t.Errorf("%s links the SQS client: %t", program, links)
		}
	}
}

// lambdas are the programs, each with all packages it is built from.
func lambdas(t *testing.T) map[string][]string {
	t.Helper()
	programs := map[string][]string{}
	for _, p := range packages(t) {
		if within(p.name, "functions/*/bootstrap") {
			programs[p.name] = strings.Fields(goTool(t, "list", "-deps", module+p.name))
		}
	}
	if len(programs) == 0 {
		t.Fatal("no programs")
	}
	return programs
}

// ourPackage is one package of the module, by its path within it.
type ourPackage struct {
	name    string
	imports []string
}

func packages(t *testing.T) []ourPackage {
	t.Helper()
	var all []ourPackage
	lines := goTool(t, "list", "-f", `{{if .GoFiles}}{{.ImportPath}} {{join .Imports " "}}{{end}}`, module+"...")
	for line := range strings.Lines(lines) {
		fields := strings.Fields(line)
		all = append(all, ourPackage{strings.TrimPrefix(fields[0], module), fields[1:]})
	}
	if len(all) < 10 {
		t.Fatalf("only %d packages: %s", len(all), lines)
	}
	return all
}

func goTool(t *testing.T, arguments ...string) string {
	t.Helper()
	var complaint strings.Builder
	command := exec.CommandContext(t.Context(), "go", arguments...)
	command.Stderr = &complaint
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", command, err, complaint.String())
	}
	return string(out)
}

// within matches a package against a pattern of the tables.
func within(name, pattern string) bool {
	if tree, ok := strings.CutSuffix(pattern, "/..."); ok {
		return name == tree || strings.HasPrefix(name, tree+"/")
	}
	matched, err := path.Match(pattern, name)
	return err == nil && matched
}

func TestPatterns(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, pattern string
		want          bool
	}{
		{"shared/app", "shared/app", true}, {"shared/apple", "shared/app", false},
		{"functions/pages", "functions/*", true}, {"functions/pages/bootstrap", "functions/*", false},
		{"functions/pages/bootstrap", "functions/*/bootstrap", true}, {"functions", "functions/*", false},
		{"localstack", "localstack/...", true}, {"localstack/a/b", "localstack/...", true}, {"localstacks", "localstack/...", false},
		{"net/http/httptest", "net/http/...", true}, {"net", "net/http/...", false},
	} {
		if got := within(c.name, c.pattern); got != c.want {
			t.Errorf("%s in %s: %t", c.name, c.pattern, got)
		}
	}
}
