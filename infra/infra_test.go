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

// built is a folder of fake functions, so that no test needs a build.
var built string

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
	built = filepath.Join(folder, "build")
	if err := fakeBuild(built, functions.All); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

const commit = "0123456789ab-dirty"

func fakeBuild(folder string, all []functions.Function) error {
	for _, f := range all {
		if err := errorsOf(os.MkdirAll(filepath.Join(folder, f.Name), 0o700),
			os.WriteFile(filepath.Join(folder, f.Name, bootstrap), []byte("not really "+f.Name), 0o700)); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(folder, commitFile), []byte(commit+"\n"), 0o600)
}

func errorsOf(all ...error) error {
	for _, err := range all {
		if err != nil {
			return err
		}
	}
	return nil
}

// node is locked while it is used: there is one, and it does one thing at a time.
var node sync.Mutex

// synthesis is a stack as CloudFormation would get it.
type synthesis struct {
	template  assertions.Template
	resources map[string]resource
	outputs   map[string]output
	text      string // the template, as it is written
	notes     assertions.Annotations
	protected bool // from being deleted as a whole
}

type output struct{ Value any }

type resource struct {
	Type                string
	Properties          map[string]any
	Metadata            map[string]any
	DeletionPolicy      string
	UpdateReplacePolicy string
}

// ofContext is the context of cdk.json and the command line together.
func ofContext(settings map[string]any) (map[string]any, error) {
	data, err := os.ReadFile("cdk.json")
	if err != nil {
		return nil, err
	}
	var file struct{ Context map[string]any }
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, err
	}
	maps.Copy(file.Context, map[string]any{"build": built, "aws:cdk:disable-version-reporting": true})
	maps.Copy(file.Context, settings)
	return file.Context, nil
}

// synth makes the stack with the settings. Errors: the app's, and the CDK's, which are
// panics in Go.
func synth(settings map[string]any) (made *synthesis, err error) {
	node.Lock()
	defer node.Unlock()
	defer func() {
		if problem := recover(); problem != nil {
			err = fmt.Errorf("%v", problem)
		}
	}()
	context, err := ofContext(settings)
	if err != nil {
		return nil, err
	}
	out, err := os.MkdirTemp(filepath.Dir(built), "out")
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

// once makes each stack of the tests once.
func once(settings map[string]any) func(t *testing.T) *synthesis {
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

// inDev is the stack as it is by default; inProd has whatever an operator may add.
var (
	inDev  = once(map[string]any{"stage": dev})
	inProd = once(withEverything)
)

var withEverything = map[string]any{
	"stage": prod, "account": "111122223333", "region": "eu-central-1",
	"domain": "api.example.com", "zoneId": "Z0000000", "zoneName": "example.com",
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

// has fails unless a resource has these properties, and maybe more.
func (s *synthesis) has(t *testing.T, kind string, properties map[string]any) {
	t.Helper()
	if problem := refused(func() { s.template.HasResourceProperties(&kind, properties) }); problem != nil {
		t.Errorf("got %v, want a %s with %v", problem, kind, properties)
	}
}

// refused makes an assertion and returns its failure, which is a panic in Go.
func refused(assert func()) (problem any) {
	node.Lock()
	defer node.Unlock()
	defer func() { problem = recover() }()
	assert()
	return nil
}

// all are the resources of a kind, by id.
func (s *synthesis) all(kind string) map[string]resource {
	found := map[string]resource{}
	for id, r := range s.resources {
		if r.Type == kind {
			found[id] = r
		}
	}
	return found
}

// named is the one whose property has the value.
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

// function is a deployed one of the list.
func (s *synthesis) function(t *testing.T, stage, name string) (id string, r resource) {
	t.Helper()
	return s.named(t, "AWS::Lambda::Function", "FunctionName", "cashwrap-"+stage+"-"+name)
}

// queue is one by its name in the list.
func (s *synthesis) queue(t *testing.T, stage, name string) (id string, r resource) {
	t.Helper()
	return s.named(t, "AWS::SQS::Queue", "QueueName", "cashwrap-"+stage+"-"+name)
}

func ref(id string) map[string]any { return map[string]any{"Ref": id} }

func arn(id string) map[string]any { return attributeOf(id, "Arn") }

func attributeOf(id, name string) map[string]any {
	return map[string]any{"Fn::GetAtt": []any{id, name}}
}

// plain is a property as text, for comparisons and messages.
func plain(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // of what was JSON before
	}
	return string(data)
}

func sorted(words []string) string { return strings.Join(slices.Sorted(slices.Values(words)), " ") }
