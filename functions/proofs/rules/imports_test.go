package rules_test

import (
	"os/exec"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cashwrap/cashwrap/functions"
)

const module = "github.com/cashwrap/cashwrap/"

// layers are our packages from the bottom up. A package may import packages of lower layers and, within a tree
// ("/..."), neighbouring packages. "*" stands for one folder. A new family needs no change here. Imports of tests do
// not count.
var layers = []string{
	// Packages that know no other package of ours.
	"shared/money shared/failure shared/optional shared/country shared/metric shared/webhook shared/deadline " +
		"shared/table shared/secret shared/outbox shared/contract/... shared/page/pagetest",
	// Rules, without I/O.
	"shared/validate shared/ledger",
	"shared/identity",
	"shared/audit shared/mail",
	"shared/merchant",
	"shared/account shared/member shared/oauth",
	"shared/signin shared/reader shared/file",
	"shared/payments",
	"shared/payout",
	// The table, the interfaces to acquirers, banks and terminals, and pages.
	"shared/store shared/acquirer shared/bank shared/page shared/terminal",
	"shared/acquirer/* shared/bank/* shared/mail/* shared/terminal/* shared/file/* shared/rest",
	// Packages that drive payments, payouts and reconciliation.
	"shared/reader/run", // payments at readers, which processing records
	"shared/settlement",
	"shared/processing shared/payout/run shared/reconcile shared/reconcile/object",
	"shared/checkout",
	// A running Lambda.
	"shared/app",
	"shared/app/*",
	"functions/*",
	"functions functions/*/bootstrap", // the list of functions, and the programs
	// Packages that run and deploy the functions.
	"localstack/platform/repository localstack/platform/processgroup",
	"localstack/aws/...",      // Amazon's engines
	"localstack/platform/...", // the developer's platform
	"localstack",              // its program
	"localstack/harness/...",  // shared by tests
	"localstack/simulator/calls localstack/simulator/linear",
	"localstack/simulator",                                  // knows no workload
	"localstack/simulator/books localstack/simulator/shops", // shared by workloads
	"localstack/simulator/*",                                // no workload knows another
	"infra infra/...",
}

// guarded are packages that only some packages above may import, with reasons. A package matches the first fitting
// line.
var guarded = []struct{ name, only, reason string }{
	{"shared/contract", "functions/docs shared/contract/checker", "the API's description, which only docs shows"},
	{"shared/contract/...", "localstack/harness/world localstack/harness/examples",
		"the validator is for tests; no program links it"},
	{"shared/page/pagetest", "", "for tests"},
	{"shared/table", "shared/acquirer/* shared/bank/* shared/terminal/*",
		"only counterparties that keep their own records write to the table besides the store"},
	{"shared/rest", "shared/app shared/checkout functions/* localstack/...", "nothing below knows HTTP"},
	{"shared/acquirer/sandbox", "shared/app functions/sandbox functions/provision", "its pages and its vouchers"},
	{"shared/acquirer/stripe", "shared/app/linkstripe localstack/harness/stripetest", "live mode's acquirer"},
	{"shared/app/linkstripe", "functions/*/bootstrap localstack localstack/harness/stripetest infra",
		"links Stripe's client; bootstrap_test.go checks which programs may"},
	{"shared/acquirer", "shared/acquirer/* shared/terminal/* shared/reader/run shared/processing shared/settlement " +
		"shared/reconcile shared/app shared/app/linkstripe functions/sandbox functions/customers functions/provision " +
		"localstack/...",
		"payments are driven by processing; a terminal charges, a customer's card is forgotten, and a voucher paid, at the " +
			"acquirer alone"},
	{"shared/bank/...", "shared/bank/* shared/payout/run shared/reconcile shared/app/... functions/provision " +
		"localstack/...",
		"payouts are driven by shared/payout/run; operators export files and answer for the bank"},
	{"shared/reader/run", "shared/processing functions/readers", "payments at readers are payments: processing opens it"},
	{"shared/payout/run", "shared/app/banking functions/payoutopen functions/payoutrun functions/provision " +
		"functions/merchants functions/sweep",
		"an endpoint reads payouts from the store; only what decides how they are made changes with them"},
	{"shared/reconcile", "functions/reconcile functions/prove localstack/...", "it scans the table"},
	{"shared/reconcile/object", "functions/files", "compares with S3, which no other function reaches"},
	{"shared/app/banking", "functions/payoutrun functions/reconcile functions/provision functions/merchants " +
		"functions/sweep localstack/...", "links all banks"},
	{"shared/app/queue", "functions/relay functions/sweep functions/payoutplan functions/payoutopen " +
		"functions/payoutrun functions/files functions/reconcile functions/prove",
		"links the SQS client; an endpoint's events travel by the table: files sends only to its own queue"},
	{"shared/mail/ses", "functions/mails", "links the SES client; what others send travels by the table"},
	{"shared/file/s3", "functions/files localstack/...", "links the S3 client; no other function reaches content"},
	{"functions/*/bootstrap", "", "a program"},
	{"functions/*", "functions functions/*/bootstrap", "no family imports another"},
	{"localstack/aws/engines/enginetest", "localstack/harness/*", "for tests"},
	{"localstack/aws/engines/record", "localstack/harness/world localstack/aws/engines/*", "for tests"},
	{"localstack/aws/wal/waltest", "", "for tests"},
	{"localstack/harness/faults", "localstack/... infra/cost", "computes with the latencies that simulations sleep"},
	{"localstack/platform/lambda/filter", "localstack/... infra",
		"refuses patterns that the local run would read otherwise"},
	{"localstack/...", "localstack/... infra/check", "deploys it and runs the demo there"},
}

func TestImports_OnlyDownward(t *testing.T) {
	t.Parallel()
	for _, p := range loadPackages(t) {
		at, tree := layerOf(p.name)
		if at < 0 {
			t.Errorf("got %s in no layer, want it in one", p.name)
		}
		for _, imported := range ourImports(p) {
			to, its := layerOf(imported)
			beside := to == at && its == tree && strings.HasSuffix(tree, "/...")
			if to >= at && !beside {
				t.Errorf("%s: got import %s, want only packages below it", p.name, imported)
			}
		}
	}
}

// layerOf returns a package's layer and the pattern that it matches there.
func layerOf(name string) (at int, pattern string) {
	for at, layer := range layers {
		for pattern := range strings.FieldsSeq(layer) {
			if fits(name, pattern) {
				return at, pattern
			}
		}
	}
	return -1, ""
}

func TestImports_GuardedPackages(t *testing.T) {
	t.Parallel()
	met := map[string]bool{} // "name by pattern" for each allowed import that was found
	for _, p := range loadPackages(t) {
		for _, imported := range ourImports(p) {
			at := slices.IndexFunc(guarded, func(g struct{ name, only, reason string }) bool { return fits(imported, g.name) })
			if at < 0 {
				continue
			}
			g := guarded[at]
			may := strings.Fields(g.only)
			by := slices.IndexFunc(may, func(pattern string) bool { return fits(p.name, pattern) })
			if by < 0 {
				t.Errorf("%s: got import %s, want it only in %q: %s", p.name, imported, g.only, g.reason)
				continue
			}
			met[g.name+" by "+may[by]] = true
		}
	}
	for _, g := range guarded {
		requireMet(t, g.name, g.only, met)
	}
}

// requireMet fails the test for a listed pattern if no package that matches the pattern imports the name.
func requireMet(t *testing.T, name, only string, met map[string]bool) {
	t.Helper()
	for by := range strings.FieldsSeq(only) {
		if !met[name+" by "+by] {
			t.Errorf("%s: got no import %s, want it, or the entry off the list", by, name)
		}
	}
}

// TestImports_OfBootstraps checks that each bootstrap imports its parent folder and no other family. Some also import
// live mode's acquirer (TestBootstrap_SecretsOfAccess).
func TestImports_OfBootstraps(t *testing.T) {
	t.Parallel()
	for _, p := range loadPackages(t) {
		if !fits(p.name, "functions/*/bootstrap") {
			continue
		}
		got := slices.DeleteFunc(ourImports(p), func(name string) bool { return name == "shared/app/linkstripe" })
		if want := []string{path.Dir(p.name), "shared/app"}; !slices.Equal(got, want) {
			t.Errorf("%s: got imports %q, want %q", p.name, got, want)
		}
	}
}

// reserved are external packages that only some of ours may import directly.
var reserved = []struct {
	library string // with everything below it
	only    string
}{
	{"github.com/aws/aws-cdk-go", "infra"},
	{"github.com/aws/constructs-go", "infra"},
	{"github.com/aws/jsii-runtime-go", "infra"},
	{"github.com/cdklabs", "infra"},
	{"github.com/getkin/kin-openapi", "shared/contract/checker"},
	{"github.com/a-h/templ", "functions/* shared/page shared/rest localstack/platform/inspector"},
	{"html/template", ""}, // looks up methods by name, so the linker would keep the methods of every type
	{"text/template", "localstack/..."},
	{"github.com/aws/aws-lambda-go", "functions/* shared/app localstack/..."},
	{"github.com/aws/aws-sdk-go-v2/service/sqs", "shared/app/queue localstack/... infra/check"},
	{"github.com/aws/aws-sdk-go-v2/service/sesv2", "shared/mail/ses"},
	{"github.com/aws/aws-sdk-go-v2/service/s3", "shared/file/s3"},
	{"github.com/wneessen/go-mail", "localstack/aws/ses"},
	{"github.com/aws/aws-sdk-go-v2/config", ""},
	// slow to start (ARCHITECTURE.md, "Start-up of a function")
	{"github.com/govalues/decimal", "shared/money shared/merchant"}, // merchant uses it for a fee rate
	{"net/http", "functions/* shared/rest shared/app shared/webhook shared/contract/checker shared/store " +
		"shared/file/s3 shared/acquirer/stripe localstack/... infra/check"},
	{"pgregory.net/rapid", ""},
	{"testing", "localstack/aws/engines/* localstack/harness/* localstack/simulator"}, // helpers of tests
}

func TestImports_ReservedLibraries(t *testing.T) {
	t.Parallel()
	met := map[string]bool{} // "library by pattern" for each allowed import that was found
	for _, p := range loadPackages(t) {
		for _, r := range reserved {
			if !slices.ContainsFunc(p.imports, func(imported string) bool { return fits(imported, r.library+"/...") }) {
				continue
			}
			may := strings.Fields(r.only)
			by := slices.IndexFunc(may, func(pattern string) bool { return fits(p.name, pattern) })
			if by < 0 {
				t.Errorf("%s: got import %s, want it only in %q", p.name, r.library, r.only)
				continue
			}
			met[r.library+" by "+may[by]] = true
		}
	}
	for _, r := range reserved {
		requireMet(t, r.library, r.only, met)
	}
}

// forbiddenLibraries may not be linked into any Lambda program, because they cost start-up time, memory and trust.
var forbiddenLibraries = []string{
	module + "shared/contract/checker", module + "shared/page/pagetest", module + "localstack", module + "infra",
	"github.com/aws/aws-cdk-go", "github.com/getkin/kin-openapi", "github.com/aws/aws-sdk-go-v2/config",
	"pgregory.net/rapid", "testing",
}

// TestPrograms_LinkedPackages checks that no program contains a forbidden library. Only programs of functions that send
// messages may contain the SQS client.
func TestPrograms_LinkedPackages(t *testing.T) {
	t.Parallel()
	programs := listPackages(t, "Deps", "functions/.../bootstrap")
	if len(programs) != len(functions.All) {
		t.Errorf("got %d programs, want one of each function", len(programs))
	}
	for _, p := range programs {
		for _, library := range forbiddenLibraries {
			if slices.ContainsFunc(p.imports, func(name string) bool { return fits(name, library+"/...") }) {
				t.Errorf("%s: got %s linked, want it without", p.name, library)
			}
		}
		sends := len(functions.Function{Name: path.Base(path.Dir(p.name))}.Access().Sends) > 0
		if links := slices.Contains(p.imports, "github.com/aws/aws-sdk-go-v2/service/sqs"); links != sends {
			t.Errorf("%s links the SQS client: got %t, want %t", p.name, links, sends)
		}
	}
}

// ourPackage is a package of the module, named by its path within the module.
type ourPackage struct {
	name    string
	imports []string
}

var listed struct {
	sync.Once
	all []ourPackage
}

// loadPackages returns the module's packages with their imports. It lists them once for all tests.
func loadPackages(t *testing.T) []ourPackage {
	t.Helper()
	listed.Do(func() { listed.all = listPackages(t, "Imports", "...") })
	if len(listed.all) < 10 {
		t.Fatalf("got packages %v, want at least 10", listed.all)
	}
	return listed.all
}

// listPackages lists the matching packages, with their Imports, or with their direct and indirect imports as Deps.
func listPackages(t *testing.T, which, pattern string) (all []ourPackage) {
	t.Helper()
	format := `{{if .GoFiles}}{{.ImportPath}} {{join .` + which + ` " "}}{{end}}`
	for line := range strings.Lines(runGo(t, "list", "-f", format, module+pattern)) {
		fields := strings.Fields(line)
		all = append(all, ourPackage{strings.TrimPrefix(fields[0], module), fields[1:]})
	}
	return all
}

// ourImports returns the package's imports within the module.
func ourImports(p ourPackage) []string {
	var all []string
	for _, imported := range p.imports {
		if name, ok := strings.CutPrefix(imported, module); ok {
			all = append(all, name)
		}
	}
	return all
}

func runGo(t *testing.T, arguments ...string) string {
	t.Helper()
	var complaint strings.Builder
	command := exec.CommandContext(t.Context(), "go", arguments...)
	command.Stderr = &complaint
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%s: got error %v, want none\n%s", command, err, complaint.String())
	}
	return string(out)
}

// fits returns true if a package matches a pattern of the tables.
func fits(name, pattern string) bool {
	if tree, ok := strings.CutSuffix(pattern, "/..."); ok {
		return name == tree || strings.HasPrefix(name, tree+"/")
	}
	matched, err := path.Match(pattern, name)
	return err == nil && matched
}

func TestWithin(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, pattern string
		want          bool
	}{
		{"shared/app", "shared/app", true}, {"shared/apple", "shared/app", false},
		{"functions/pages", "functions/*", true}, {"functions/pages/bootstrap", "functions/*", false},
		{"functions/pages/bootstrap", "functions/*/bootstrap", true}, {"functions", "functions/*", false},
		{"localstack", "localstack/...", true}, {"localstack/a/b", "localstack/...", true},
		{"localstacks", "localstack/...", false},
		{"net/http/httptest", "net/http/...", true}, {"net", "net/http/...", false},
	} {
		if got := fits(c.name, c.pattern); got != c.want {
			t.Errorf("%s in %s: got %t, want %t", c.name, c.pattern, got, c.want)
		}
	}
}
