package main

import (
	"cmp"
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
	"github.com/cashwrap/cashwrap/shared/app/linkstripe"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/store"
	"github.com/cashwrap/cashwrap/shared/webhook"
)

// settings are an operator's settings. They come from the CDK context: from -c name=value, or for one stage from
// "stages" in cdk.json. A field's comment gives the setting's name, its meaning and, after the semicolon, its default.
// If there are two defaults, the second is prod's.
//
// A stage without a section in cdk.json, such as a pull request's, gets dev's settings, except those marked "own".
// Two stages cannot share a domain. Each stage has its own secrets. No other stage may send alarms to dev's addresses.
type settings struct {
	Stage string // stage: a name that checkStage accepts; dev
	Build string // build: folder of the built functions; ../.build

	// The stage's account and region. The CDK refuses other accounts. prod requires both settings. For other stages the
	// default is the shell's account and region.
	Account string // account: 12 digits, in quotes
	Region  string // region: e.g. eu-central-1

	// The API's address; each of these settings is own. Without a domain, API Gateway chooses the address.
	Domain      string // domain: the operator's host name
	Certificate string // certificate: ARN of the domain's certificate, in the stack's region
	ZoneID      string // zoneId and zoneName: the Route 53 zone for the domain's records;
	ZoneName    string // without it, the operator points the domain at the output DomainTarget
	BaseURL     string // baseUrl: overrides the URL that the platform tells others, for emulators and proxies

	// trustedProxies, own: number of the operator's proxies before API Gateway, such as CloudFront. Limits, logs and
	// audits use the client's address as reported by these proxies; 0
	TrustedProxies string
	// proxySecretHashes, own: SHA-256 in hexadecimal of the last proxy's X-Proxy-Secret, or two hashes separated by a
	// space during a change. Without a hash, a request that bypasses the proxies may claim any address; none
	ProxySecretHashes string

	Rate  float64 // rate: requests a second before API Gateway answers 429; 100, 5000
	Burst float64 // burst: simultaneous requests before API Gateway answers 429; 200, 2500
	// pollers: number of provisioned pollers of each prompt queue. A poller makes up to 10 calls at a time. With 0, the
	// setting workers applies instead; 0, 40
	Pollers float64
	Workers float64 // workers: parallel calls of a queue's consumer; 5, 50

	// dueShards: number of partitions of the due index, each for 1,000 writes a second. Never lower this number, or due
	// work may wait an hour; 64
	DueShards float64

	// Tracing, which also needs make's TRACING=on (tracing.go).
	OTLPEndpoint      string  // otlpEndpoint: URL of an OpenTelemetry collector (OTLP over HTTP), without /v1/traces; none
	OTLPHeadersSecret string  // otlpHeadersSecret: name of a secret with the collector's headers, key=value,…; none
	TracedShare       float64 // tracedPercent: share of traced events, in whole percent; 100

	// callbackSignatureHeader: header for a second signature, t=…,v1=… (contract §11.2), such as X-Shop-Signature; none
	SignatureHeader string
	// liveAcquirer, own: acquirer of live payments: stripe. Without one they are answered 424; none
	LiveAcquirer string
	// acquirerSecret and acquirerSecretVersion, own: name and VersionId of the secret with its keys (app.AcquirerKeys);
	// none, and the current version
	AcquirerSecret, AcquirerSecretVersion string
	// rawCardsApproved, own: "yes" once the acquirer has approved that the platform sends card numbers; none
	RawCardsApproved string
	// acquirerHosts: space-separated hosts that live 3-D Secure challenges may lead to, such as "pay.example.com
	// *.example.net" (payments.ParseAcquirerHosts); none, and with stripe *.stripe.com
	AcquirerHosts string
	RefundRules   string // refundRules: limits such as "BR:90 HUF::100" (payments.ParseRefundRules); none
	// fileOrigins: space-separated origins of pages that may use files' links. Servers need no entry; none
	FileOrigins string
	AlarmEmail  string // alarmEmail, own: address for all alarms; none, but anyone may subscribe to the topics
	// mailFrom, own: sender of mails, with an optional name. SES must have verified its domain in the region. Without a
	// sender mails wait, and an alarm is raised; none
	MailFrom  string
	PageEmail string // pageEmail, own: address for critical alarms instead of alarmEmail; alarmEmail

	// Secrets, each own. The guide describes how to rotate them.
	SecretVersion       string // secretVersion: VersionId of the platform secret; the current one
	SecretSince         string // secretSince: RFC 3339 time when that version comes into use; always
	SecretPrevious      string // secretPrevious: VersionId of the preceding version; none
	SecretPreviousSince string // secretPreviousSince: RFC 3339 time when the preceding version came into use; always
	LastingVersion      string // lastingVersion: VersionId of the lasting secret; the current one
}

// isProd returns true for the stage with real money, which must lose nothing.
func (s settings) isProd() bool { return s.Stage == prod }

const (
	dev  = "dev"
	prod = "prod"
)

// always is earlier than any deployment. A secret that was never rotated counts as in use since then, so nothing that
// is derived from the secret is older.
const always = "2026-01-01T00:00:00Z"

// cdkContext reads settings from the CDK context and collects their problems.
type cdkContext struct {
	node     constructs.Node
	stage    string
	own      map[string]any // the stage's section of cdk.json
	shared   map[string]any // the stage's section, or else dev's
	known    map[string]bool
	problems []error
}

// readSettings reads the settings from the app's context. The error names each wrong setting.
func readSettings(node constructs.Node) (settings, error) {
	c := &cdkContext{node: node, known: map[string]bool{}}
	c.stage = c.get("stage", dev)
	if err := checkStage(c.stage); err != nil {
		return settings{}, err // the settings of a wrong stage would be wrong too
	}
	c.findSections()
	s := settings{
		Stage: c.stage, Build: c.get("build", "../.build"), Account: c.get("account", ""), Region: c.get("region", ""),
		Domain: c.getOwn("domain", ""), Certificate: c.getOwn("certificate", ""), BaseURL: c.getOwn("baseUrl", ""),
		ZoneID: c.getOwn("zoneId", ""), ZoneName: c.getOwn("zoneName", ""),
		Rate: c.getNumber("rate", 1, 100, 5000), Burst: c.getNumber("burst", 1, 200, 2500),
		Workers: c.getNumber("workers", 1, 5, 50), Pollers: c.getNumber("pollers", 0, 0, 40),
		DueShards:      c.getNumber("dueShards", 1, store.DefaultDueShards, store.DefaultDueShards),
		TrustedProxies: c.getOwn("trustedProxies", "0"), ProxySecretHashes: c.getOwn("proxySecretHashes", ""),
		SecretVersion: c.getOwn("secretVersion", ""), SecretSince: c.getOwn("secretSince", always),
		SecretPrevious:      c.getOwn("secretPrevious", ""),
		SecretPreviousSince: c.getOwn("secretPreviousSince", always),
		LastingVersion:      c.getOwn("lastingVersion", ""),
		OTLPEndpoint:        c.get("otlpEndpoint", ""), OTLPHeadersSecret: c.get("otlpHeadersSecret", ""),
		TracedShare:     c.getNumber("tracedPercent", 1, 100, 100) / 100,
		AlarmEmail:      c.getOwn("alarmEmail", ""),
		PageEmail:       c.getOwn("pageEmail", ""),
		MailFrom:        c.getOwn("mailFrom", ""),
		SignatureHeader: c.get("callbackSignatureHeader", ""), RefundRules: c.get("refundRules", ""),
		FileOrigins: c.get("fileOrigins", ""), LiveAcquirer: c.getOwn("liveAcquirer", ""),
		AcquirerSecret: c.getOwn("acquirerSecret", ""), AcquirerSecretVersion: c.getOwn("acquirerSecretVersion", ""),
		RawCardsApproved: c.getOwn("rawCardsApproved", ""),
	}
	s.AcquirerHosts = c.get("acquirerHosts", hostsOf[s.LiveAcquirer])
	c.check(s)
	return s, errors.Join(c.problems...)
}

// findSections finds the stage's section of cdk.json, or dev's section if the stage has none. prod never gets dev's
// section.
func (c *cdkContext) findSections() {
	key := "stages"
	stages, _ := c.node.TryGetContext(&key).(map[string]any)
	section := func(stage string) map[string]any { own, _ := stages[stage].(map[string]any); return own }
	c.own, c.shared = section(c.stage), section(c.stage)
	if _, has := stages[c.stage]; !has && c.stage != prod {
		c.shared = section(dev)
	}
}

// get returns a setting from the command line, else from the section that applies to the stage, else the default. The
// section is the stage's, or dev's if the stage has none.
func (c *cdkContext) get(name, otherwise string) string { return c.getIn(c.shared, name, otherwise) }

// getOwn returns a setting like get, but never gives another stage a setting from dev's section.
func (c *cdkContext) getOwn(name, otherwise string) string { return c.getIn(c.own, name, otherwise) }

func (c *cdkContext) getIn(section map[string]any, name, otherwise string) string {
	c.known[name] = true
	if value := c.node.TryGetContext(&name); value != nil {
		return fmt.Sprint(value)
	}
	if section[name] != nil {
		return fmt.Sprint(section[name])
	}
	return otherwise
}

func (c *cdkContext) getNumber(name string, least uint64, inDev, inProd float64) float64 {
	otherwise := inDev
	if c.stage == prod {
		otherwise = inProd
	}
	value := c.get(name, strconv.FormatFloat(otherwise, 'f', -1, 64))
	n, err := strconv.ParseUint(value, 10, 32)
	if err != nil || n < least {
		c.addProblem("%s=%s is not a whole number from %d", name, value, least)
	}
	return float64(n)
}

func (c *cdkContext) addProblem(format string, values ...any) {
	c.problems = append(c.problems, fmt.Errorf("context "+format, values...))
}

// SQS limits the concurrency of a consumer to between 2 and 1000 (AWS: ScalingConfig).
const minWorkers, maxWorkers = 2, 1000

// The platform sets the minimum and the maximum of a queue's pollers to the setting pollers. AWS allows 2 to 200 for
// the minimum (ProvisionedPollerConfig).
const minPollers, maxPollers = 2, 200

const pollerCalls = 10

func (c *cdkContext) check(s settings) {
	for _, name := range slices.Sorted(maps.Keys(c.shared)) {
		if !c.known[name] {
			c.addProblem("%s in cdk.json: there is no such setting", name)
		}
	}
	c.checkAccount(s)
	if (s.Domain == "") != (s.Certificate == "") {
		c.addProblem("domain and certificate: give both or none")
	}
	if (s.ZoneID == "") != (s.ZoneName == "") || (s.ZoneID != "" && s.Domain == "") {
		c.addProblem("zoneId and zoneName: give both, with a domain, or none")
	}
	if u, err := url.Parse(s.BaseURL); s.BaseURL != "" && (err != nil || u.Host == "" || strings.HasSuffix(u.Path, "/")) {
		c.addProblem("baseUrl=%s is not a URL without a trailing slash", s.BaseURL)
	}
	if err := webhook.CheckTimedHeader(s.SignatureHeader); err != nil {
		c.addProblem("callbackSignatureHeader %w", err)
	}
	if _, err := payments.ParseRefundRules(s.RefundRules); err != nil {
		c.addProblem("refundRules: %w", err)
	}
	hosts, err := payments.ParseAcquirerHosts(s.AcquirerHosts)
	if err = cmp.Or(err, hosts.CheckSuffixes()); err != nil {
		c.addProblem("acquirerHosts %w", err)
	}
	c.checkAcquirer(s)
	if _, err := app.ParseProxies(s.TrustedProxies, s.ProxySecretHashes); err != nil {
		c.addProblem("trustedProxies, proxySecretHashes: %w", err)
	}
	for origin := range strings.FieldsSeq(s.FileOrigins) {
		if u, err := url.Parse(origin); err != nil || u.Host == "" || origin != "https://"+u.Host ||
			strings.ContainsAny(origin, "*@") {
			c.addProblem("fileOrigins=%s is not an origin like https://www.example.com", origin)
		}
	}
	if _, err := mail.ParseAddress(s.MailFrom); s.MailFrom != "" && err != nil {
		c.addProblem("mailFrom=%s is not an email address", s.MailFrom)
	}
	c.checkSecrets(s)
	if s.Pollers != 0 && (s.Pollers < minPollers || s.Pollers > maxPollers) {
		c.addProblem("pollers=%v is neither 0 nor from %d to %d", s.Pollers, minPollers, maxPollers)
	}
	if s.DueShards > store.MaxDueShards {
		c.addProblem("dueShards=%v is more than %d", s.DueShards, store.MaxDueShards)
	}
	if s.Workers != 0 && (s.Workers < minWorkers || s.Workers > maxWorkers) {
		c.addProblem("workers=%v is not from %d to %d", s.Workers, minWorkers, maxWorkers)
	}
}

// hostsOf has the hosts that each acquirer of live payments leads payers to.
var hostsOf = map[string]string{linkstripe.Name: linkstripe.Hosts}

func (c *cdkContext) checkAcquirer(s settings) {
	if s.LiveAcquirer == "" {
		return
	}
	if hostsOf[s.LiveAcquirer] == "" {
		c.addProblem("liveAcquirer=%s is not %s", s.LiveAcquirer, linkstripe.Name)
	}
	if s.AcquirerSecret == "" {
		c.addProblem("liveAcquirer=%s: give acquirerSecret too", s.LiveAcquirer)
	}
	if s.RawCardsApproved != "yes" {
		c.addProblem("liveAcquirer=%s: the platform sends it card numbers; give rawCardsApproved=yes once the acquirer has "+
			"approved that", s.LiveAcquirer)
	}
}

func (c *cdkContext) checkSecrets(s settings) {
	since, err := time.Parse(time.RFC3339, s.SecretSince)
	if err != nil {
		c.addProblem("secretSince=%s is not an RFC 3339 time", s.SecretSince)
	}
	if s.SecretVersion != "" && s.SecretSince == always {
		c.addProblem("secretVersion=%s: give secretSince too", s.SecretVersion)
	}
	if s.SecretPrevious == "" {
		return
	}
	if s.SecretVersion == "" || s.SecretVersion == s.SecretPrevious {
		c.addProblem("secretPrevious: give another version as secretVersion")
	}
	if previous, err := time.Parse(time.RFC3339, s.SecretPreviousSince); err != nil || !previous.Before(since) {
		c.addProblem("secretPreviousSince=%s is not an RFC 3339 time before secretSince", s.SecretPreviousSince)
	}
}
