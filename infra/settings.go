package main

import (
	"errors"
	"fmt"
	"maps"
	"net/mail"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aws/constructs-go/constructs/v10"

	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/store"
	"github.com/cashwrap/cashwrap/shared/webhook"
)

// settings are an operator's, as CDK context: by -c name=value, or for one stage in cdk.json, in stages. Comments give
// the name and its default, two of them for other stages and for prod.
//
// A stage without a section, such as a pull request's, has dev's settings but those marked "own": domains cannot be
// shared, secrets differ, and nobody wants its alarms.
type settings struct {
	Stage string // stage: any name of checkStage; dev
	Build string // build: folder of the built functions; ../.build

	// The stage's account and region; the CDK refuses other accounts. prod requires both; the default is the shell's.
	Account string // account: 12 digits, in quotes
	Region  string // region: e.g. eu-central-1

	// Where clients find the API, each own. Without a domain it is API Gateway's.
	Domain      string // domain: a host name of the operator's
	Certificate string // certificate: ARN of the domain's certificate, in the stack's region
	ZoneID      string // zoneId and zoneName: a Route 53 zone to put the domain's records into;
	ZoneName    string // without one the operator points the domain at the output DomainTarget
	BaseURL     string // baseUrl: overrides the URL that the platform gives to others, for emulators and proxies

	// trustedProxies: how many of your proxies, such as CloudFront, precede API Gateway. Limits, logs and audits have the
	// client's address as these report it; 0
	TrustedProxies string
	// proxySecretHashes: SHA-256 in hexadecimal of the last proxy's X-Proxy-Secret, or two with a blank between while it
	// changes. Without a hash, a request past the proxies may claim any address
	ProxySecretHashes string

	Rate  float64 // rate: requests a second, above which API Gateway answers 429; 100, 5000
	Burst float64 // burst: requests at once, likewise; 200, 2500
	// pollers: provisioned for a queue that must be prompt, for 10 calls each; 0 = none: use workers; 0, 40
	Pollers float64
	Workers float64 // workers: calls of a queue's consumer at the same time; 5, 50

	// dueShards: partitions of the due index, 1,000 writes a second each. Never lower it: due work may wait an hour; 64
	DueShards float64

	// Tracing, which also takes TRACING=on for make (tracing.go).
	OTLPEndpoint      string  // otlpEndpoint: URL of an OpenTelemetry collector (OTLP over HTTP), without /v1/traces; none
	OTLPHeadersSecret string  // otlpHeadersSecret: name of a secret with its headers, as key=value,…; none
	TracedShare       float64 // tracedPercent: of the events, in whole percent; 100

	// callbackSignatureHeader: header for a second signature, t=…,v1=… (contract §11.2), such as X-Shop-Signature; none
	SignatureHeader string
	RefundRules     string // refundRules: limits like "BR:90 HUF::100" (payments.ParseRefundRules); none
	// fileOrigins: origins, with blanks between, of pages that may use files' links (servers need none); none
	FileOrigins string
	AlarmEmail  string // alarmEmail, own: address that gets all alarms; none, but anyone may subscribe to the topics
	// mailFrom, own: the sender of mails to merchants' people, perhaps with a name, of a domain that SES has verified in
	// the region; none: they wait, and an alarm says so
	MailFrom  string
	PageEmail string // pageEmail, own: address that gets the critical alarms instead; alarmEmail

	// Secrets, each own: the guide says how they are rotated.
	SecretVersion       string // secretVersion: VersionId of the platform secret; the current one
	SecretSince         string // secretSince: RFC 3339, when that version comes into use; always
	SecretPrevious      string // secretPrevious: VersionId of the one before it; none that counts
	SecretPreviousSince string // secretPreviousSince; always
	LastingVersion      string // lastingVersion: VersionId of the lasting secret; the current one
}

// production means that the stage has real money, so that nothing may be lost.
func (s settings) production() bool { return s.Stage == prod }

const (
	dev  = "dev"
	prod = "prod"
)

// always precedes any deployment: a secret without a rotation has been in use since, so nothing derived is older.
const always = "2026-01-01T00:00:00Z"

// context reads settings and collects what is wrong with them.
type context struct {
	node     constructs.Node
	stage    string
	own      map[string]any // the stage's section of cdk.json
	shared   map[string]any // that, or the section of dev
	known    map[string]bool
	problems []error
}

// readSettings reads the context of the app. The error names each setting that is wrong.
func readSettings(node constructs.Node) (settings, error) {
	c := &context{node: node, known: map[string]bool{}}
	c.stage = c.text("stage", dev)
	if err := checkStage(c.stage); err != nil {
		return settings{}, err // whose settings would be wrong too
	}
	c.findSections()
	s := settings{
		Stage: c.stage, Build: c.text("build", "../.build"), Account: c.text("account", ""), Region: c.text("region", ""),
		Domain: c.ownText("domain", ""), Certificate: c.ownText("certificate", ""), BaseURL: c.ownText("baseUrl", ""),
		ZoneID: c.ownText("zoneId", ""), ZoneName: c.ownText("zoneName", ""),
		Rate: c.number("rate", 1, 100, 5000), Burst: c.number("burst", 1, 200, 2500),
		Workers: c.number("workers", 1, 5, 50), Pollers: c.number("pollers", 0, 0, 40),
		DueShards:      c.number("dueShards", 1, store.DefaultDueShards, store.DefaultDueShards),
		TrustedProxies: c.ownText("trustedProxies", "0"), ProxySecretHashes: c.ownText("proxySecretHashes", ""),
		SecretVersion: c.ownText("secretVersion", ""), SecretSince: c.ownText("secretSince", always),
		SecretPrevious:      c.ownText("secretPrevious", ""),
		SecretPreviousSince: c.ownText("secretPreviousSince", always),
		LastingVersion:      c.ownText("lastingVersion", ""),
		OTLPEndpoint:        c.text("otlpEndpoint", ""), OTLPHeadersSecret: c.text("otlpHeadersSecret", ""),
		TracedShare:     c.number("tracedPercent", 1, 100, 100) / 100,
		AlarmEmail:      c.ownText("alarmEmail", ""),
		PageEmail:       c.ownText("pageEmail", ""),
		MailFrom:        c.ownText("mailFrom", ""),
		SignatureHeader: c.text("callbackSignatureHeader", ""), RefundRules: c.text("refundRules", ""),
		FileOrigins: c.text("fileOrigins", ""),
	}
	c.check(s)
	return s, errors.Join(c.problems...)
}

// findSections reads cdk.json's section of the stage, and that of dev in its place.
func (c *context) findSections() {
	key := "stages"
	stages, _ := c.node.TryGetContext(&key).(map[string]any)
	section := func(stage string) map[string]any { own, _ := stages[stage].(map[string]any); return own }
	c.own, c.shared = section(c.stage), section(c.stage)
	if _, has := stages[c.stage]; !has && c.stage != prod {
		c.shared = section(dev)
	}
}

// text prefers the command line to the stage's own value, or dev's.
func (c *context) text(name, otherwise string) string { return c.textOf(c.shared, name, otherwise) }

// ownText returns a setting that no other stage's section gives.
func (c *context) ownText(name, otherwise string) string { return c.textOf(c.own, name, otherwise) }

func (c *context) textOf(section map[string]any, name, otherwise string) string {
	c.known[name] = true
	if value := c.node.TryGetContext(&name); value != nil {
		return fmt.Sprint(value)
	}
	if section[name] != nil {
		return fmt.Sprint(section[name])
	}
	return otherwise
}

func (c *context) number(name string, least uint64, inDev, inProd float64) float64 {
	otherwise := inDev
	if c.stage == prod {
		otherwise = inProd
	}
	value := c.text(name, strconv.FormatFloat(otherwise, 'f', -1, 64))
	n, err := strconv.ParseUint(value, 10, 32)
	if err != nil || n < least {
		c.wrong("%s=%s is not a whole number from %d", name, value, least)
	}
	return float64(n)
}

func (c *context) wrong(format string, values ...any) {
	c.problems = append(c.problems, fmt.Errorf("context "+format, values...))
}

// SQS limits a consumer's concurrency to between 2 and 1000 (AWS: ScalingConfig).
const leastWorkers, mostWorkers = 2, 1000

// An SQS queue can have from 2 to 200 provisioned pollers (AWS: ProvisionedPollerConfig).
const leastPollers, mostPollers = 2, 200

const pollerCalls = 10

func (c *context) check(s settings) {
	for _, name := range slices.Sorted(maps.Keys(c.shared)) {
		if !c.known[name] {
			c.wrong("%s in cdk.json: there is no such setting", name)
		}
	}
	c.checkPlace(s)
	if (s.Domain == "") != (s.Certificate == "") {
		c.wrong("domain and certificate: give both or none")
	}
	if (s.ZoneID == "") != (s.ZoneName == "") || (s.ZoneID != "" && s.Domain == "") {
		c.wrong("zoneId and zoneName: give both, with a domain, or none")
	}
	if u, err := url.Parse(s.BaseURL); s.BaseURL != "" && (err != nil || u.Host == "" || strings.HasSuffix(u.Path, "/")) {
		c.wrong("baseUrl=%s is not a URL without a trailing slash", s.BaseURL)
	}
	if err := webhook.CheckTimedHeader(s.SignatureHeader); err != nil {
		c.wrong("callbackSignatureHeader %w", err)
	}
	if _, err := payments.ParseRefundRules(s.RefundRules); err != nil {
		c.wrong("refundRules: %w", err)
	}
	if _, err := app.ParseProxies(s.TrustedProxies, s.ProxySecretHashes); err != nil {
		c.wrong("trustedProxies, proxySecretHashes: %w", err)
	}
	for origin := range strings.FieldsSeq(s.FileOrigins) {
		if u, err := url.Parse(origin); err != nil || u.Host == "" || origin != "https://"+u.Host ||
			strings.ContainsAny(origin, "*@") {
			c.wrong("fileOrigins=%s is not an origin like https://www.example.com", origin)
		}
	}
	if _, err := mail.ParseAddress(s.MailFrom); s.MailFrom != "" && err != nil {
		c.wrong("mailFrom=%s is not an email address", s.MailFrom)
	}
	c.checkSecrets(s)
	if s.Pollers != 0 && (s.Pollers < leastPollers || s.Pollers > mostPollers) {
		c.wrong("pollers=%v is neither 0 nor from %d to %d", s.Pollers, leastPollers, mostPollers)
	}
	if s.DueShards > store.MaxDueShards {
		c.wrong("dueShards=%v is more than %d", s.DueShards, store.MaxDueShards)
	}
	if s.Workers != 0 && (s.Workers < leastWorkers || s.Workers > mostWorkers) {
		c.wrong("workers=%v is not from %d to %d", s.Workers, leastWorkers, mostWorkers)
	}
}

func (c *context) checkSecrets(s settings) {
	since, err := time.Parse(time.RFC3339, s.SecretSince)
	if err != nil {
		c.wrong("secretSince=%s is not an RFC 3339 time", s.SecretSince)
	}
	if s.SecretVersion != "" && s.SecretSince == always {
		c.wrong("secretVersion=%s: give secretSince too", s.SecretVersion)
	}
	if s.SecretPrevious == "" {
		return
	}
	if s.SecretVersion == "" || s.SecretVersion == s.SecretPrevious {
		c.wrong("secretPrevious: give another version as secretVersion")
	}
	if previous, err := time.Parse(time.RFC3339, s.SecretPreviousSince); err != nil || !previous.Before(since) {
		c.wrong("secretPreviousSince=%s is not an RFC 3339 time before secretSince", s.SecretPreviousSince)
	}
}
