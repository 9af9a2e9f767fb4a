package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/assertions"

	"github.com/cashwrap/cashwrap/functions"
)

// buildFolder is a folder of fake functions, so that tests need no build.
var buildFolder string

func TestMain(m *testing.M) {
	if err := checkNode(io.Discard); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(run(m))
}

func run(m *testing.M) int {
	folder, err := os.MkdirTemp("", "cashwrap-infra")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(folder) }()
	buildFolder = filepath.Join(folder, "build")
	if err := fakeBuild(buildFolder, functions.All); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

const commit = "0123456789ab-dirty"

func fakeBuild(folder string, all []functions.Function) error {
	for _, f := range all {
		if err := firstError(os.MkdirAll(filepath.Join(folder, f.Name), 0o700),
			os.WriteFile(filepath.Join(folder, f.Name, bootstrap), []byte("not really "+f.Name), 0o700)); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(folder, commitFile), []byte(commit+"\n"), 0o600)
}

func firstError(all ...error) error {
	for _, err := range all {
		if err != nil {
			return err
		}
	}
	return nil
}

// nodeMutex serializes calls to jsii, whose single Node.js process handles one call at a time.
var nodeMutex sync.Mutex

// synthesis is a stack in the form that CloudFormation gets.
type synthesis struct {
	template  assertions.Template
	resources map[string]resource
	outputs   map[string]output
	text      string // the template's JSON
	notes     assertions.Annotations
	protected bool // the stack is protected against deletion
}

type output struct{ Value any }

type resource struct {
	Type                string
	Properties          map[string]any
	Metadata            map[string]any
	DeletionPolicy      string
	UpdateReplacePolicy string
}

// readContext returns the context from cdk.json, overridden by the settings.
func readContext(settings map[string]any) (map[string]any, error) {
	data, err := os.ReadFile("cdk.json")
	if err != nil {
		return nil, err
	}
	var file struct{ Context map[string]any }
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, err
	}
	maps.Copy(file.Context, map[string]any{"build": buildFolder, "aws:cdk:disable-version-reporting": true})
	maps.Copy(file.Context, settings)
	return file.Context, nil
}

// synth synthesizes the stack with the settings. It returns the errors of the app. It also returns the errors of the
// CDK, which are panics in Go.
func synth(settings map[string]any) (made *synthesis, err error) {
	nodeMutex.Lock()
	defer nodeMutex.Unlock()
	defer func() {
		if problem := recover(); problem != nil {
			err = fmt.Errorf("%v", problem)
		}
	}()
	context, err := readContext(settings)
	if err != nil {
		return nil, err
	}
	out, err := os.MkdirTemp(filepath.Dir(buildFolder), "out")
	if err != nil {
		return nil, err
	}
	app := awscdk.NewApp(&awscdk.AppProps{Context: &context, Outdir: &out})
	p, err := newPlatform(app, functions.All)
	if err != nil {
		return nil, err
	}
	s := &synthesis{template: assertions.Template_FromStack(p.stack, nil),
		notes:     assertions.Annotations_FromStack(p.stack),
		protected: *p.stack.TerminationProtection()}
	data, err := os.ReadFile(filepath.Join(out, *p.stack.TemplateFile()))
	if err != nil {
		return nil, err
	}
	var template struct {
		Resources map[string]resource
		Outputs   map[string]output
	}
	s.text = string(data)
	err = json.Unmarshal(data, &template)
	s.resources, s.outputs = template.Resources, template.Outputs
	return s, err
}

// synthOnce returns a function that synthesizes a stack only once for all tests.
func synthOnce(settings map[string]any) func(t *testing.T) *synthesis {
	make := sync.OnceValues(func() (*synthesis, error) { return synth(settings) })
	return func(t *testing.T) *synthesis {
		t.Helper()
		s, err := make()
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
}

// inDev synthesizes the stack with the default settings, inProd with all optional settings.
var (
	inDev  = synthOnce(map[string]any{"stage": dev})
	inProd = synthOnce(allSettings)
)

var allSettings = map[string]any{
	"stage": prod, "account": "111122223333", "region": "eu-central-1",
	"domain": "api.example.com", "zoneId": "Z0000000", "zoneName": "example.com",
	"acquirerHosts": "pay.example.com *.acquirer.example.net", "liveAcquirer": "stripe", "rawCardsApproved": "yes",
	"acquirerSecret": "stripe", "acquirerSecretVersion": "55555555-6666-7777-8888-999999999999",
	"refundRules": "BR:90 HUF::100", "callbackSignatureHeader": "X-Shop-Signature",
	"trustedProxies": 1, "proxySecretHashes": proxySecretHash,
	"dueShards": "128", "fileOrigins": "https://a.example.com https://b.example.com",
	"certificate": "arn:aws:acm:eu-central-1:111122223333:certificate/11111111-2222-3333-4444-555555555555",
	"alarmEmail":  "operator@example.com", "pageEmail": "pager@example.com",
	"mailFrom":       "Cashwrap <no-reply@mail.example.com>",
	"lastingVersion": "44444444-5555-6666-7777-888888888888",
	"secretVersion":  "22222222-3333-4444-5555-666666666666", "secretSince": "2026-12-01T00:00:00Z",
	"secretPrevious": "33333333-4444-5555-6666-777777777777", "secretPreviousSince": "2026-11-01T00:00:00Z",
}

// want fails unless a resource of the kind has at least these properties.
func (s *synthesis) want(t *testing.T, kind string, properties map[string]any) {
	t.Helper()
	if problem := runAssertion(func() { s.template.HasResourceProperties(&kind, properties) }); problem != nil {
		t.Errorf("got %v, want a %s with %v", problem, kind, properties)
	}
}

// runAssertion runs an assertion and returns its failure, which is a panic in Go.
func runAssertion(assert func()) (problem any) {
	nodeMutex.Lock()
	defer nodeMutex.Unlock()
	defer func() { problem = recover() }()
	assert()
	return nil
}

// all returns the resources of a kind by id.
func (s *synthesis) all(kind string) map[string]resource {
	found := map[string]resource{}
	for id, r := range s.resources {
		if r.Type == kind {
			found[id] = r
		}
	}
	return found
}

// named returns the resource whose property has the value.
func (s *synthesis) named(t *testing.T, kind, property, value string) (id string, r resource) {
	t.Helper()
	for id, r := range s.all(kind) {
		if r.Properties[property] == value {
			return id, r
		}
	}
	t.Fatalf("got no %s with %s %q, want one", kind, property, value)
	return "", resource{}
}

// function returns a deployed function by its name in functions.All.
func (s *synthesis) function(t *testing.T, stage, name string) (id string, r resource) {
	t.Helper()
	return s.named(t, "AWS::Lambda::Function", "FunctionName", "cashwrap-"+stage+"-"+name)
}

// queue returns a queue by its name in functions.Queues.
func (s *synthesis) queue(t *testing.T, stage, name string) (id string, r resource) {
	t.Helper()
	return s.named(t, "AWS::SQS::Queue", "QueueName", "cashwrap-"+stage+"-"+name)
}

func ref(id string) map[string]any { return map[string]any{"Ref": id} }

func arn(id string) map[string]any { return attributeOf(id, "Arn") }

func attributeOf(id, name string) map[string]any {
	return map[string]any{"Fn::GetAtt": []any{id, name}}
}

// toJSON returns a property as JSON, for comparisons and messages.
func toJSON(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // impossible: the value was decoded from JSON
	}
	return string(data)
}

func sorted(words []string) string { return strings.Join(slices.Sorted(slices.Values(words)), " ") }
