package main

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/shared/store"
)

// readTestSettings reads settings as the app does, without cdk.json.
func readTestSettings(given map[string]any) (settings, error) {
	nodeMutex.Lock()
	defer nodeMutex.Unlock()
	return readSettings(awscdk.NewApp(&awscdk.AppProps{Context: &given}).Node())
}

func TestReadSettings_WrongSetting(t *testing.T) {
	t.Parallel()
	for name, given := range map[string]map[string]any{
		"account and region: prod": {"stage": prod, "account": "111122223333"},
		"account and region: give": {"region": "eu-central-1"},
		"account=1.":               {"account": 111122223333, "region": "eu-central-1"},
		"region=Frankfurt ":        {"account": "111122223333", "region": "Frankfurt"},
		"alarmMail in cdk.json":    {"stages": map[string]any{dev: map[string]any{"alarmMail": "ops@example.com"}}},
		"domain":                   {"domain": "api.example.com"},
		"certificate":              {"certificate": "arn:aws:acm:eu-central-1:111122223333:certificate/1"},
		"zoneId":                   {"zoneId": "Z1", "zoneName": "example.com"},
		"baseUrl":                  {"baseUrl": "https://api.example.com/"},
		"rate":                     {"rate": "0"},
		"burst":                    {"burst": "many"},
		"workers":                  {"workers": "1"},
		"pollers=1 ":               {"pollers": "1"},
		"pollers=201 ":             {"pollers": "201"},
		"workers=1001 ":            {"workers": "1001"},
		"dueShards=0":              {"dueShards": "0"},
		"dueShards=257":            {"dueShards": "257"},
		"callbackSignatureHeader ": {"callbackSignatureHeader": "webhook-signature"},
		"refundRules":              {"refundRules": "BR:90 everywhere"},
		"acquirerHosts must be ":   {"acquirerHosts": "https://pay.example.com"},
		"liveAcquirer=worldpay ":   {"liveAcquirer": "worldpay"},
		"give acquirerSecret":      {"liveAcquirer": "stripe", "rawCardsApproved": "yes"},
		"give rawCardsApproved=":   {"liveAcquirer": "stripe", "acquirerSecret": "stripe", "rawCardsApproved": "no"},
		"the public suffix co.uk":  {"acquirerHosts": "pay.example.com *.co.uk"},
		"mailFrom=":                {"mailFrom": "nobody"},
		"trustedProxies, ":         {"trustedProxies": "eleven"},
		"number from 0 to 10":      {"trustedProxies": "11"},
		"need a number of proxies": {"proxySecretHashes": strings.Repeat("a1", 32)},
		"SHA-256 in hexadecimal":   {"trustedProxies": "1", "proxySecretHashes": "secret"},
		"fileOrigins=* ":           {"fileOrigins": "https://a.example.com *"},
		"fileOrigins=https://*":    {"fileOrigins": "https://*.example.com"},
		"fileOrigins=http:":        {"fileOrigins": "http://a.example.com"},
		"fileOrigins=https://a":    {"fileOrigins": "https://a.example.com/"},
		"fileOrigins=https://u@a":  {"fileOrigins": "https://u@a.example.com"},
		"secretSince":              {"secretSince": "yesterday"},
		"secretVersion=1: ":        {"secretVersion": "1"},
		"as secretVersion":         {"secretPrevious": "1", "secretSince": "2026-11-01T00:00:00Z"},
		"secretPrevious: ":         {"secretPrevious": "1", "secretVersion": "1", "secretSince": "2026-11-01T00:00:00Z"},
		"secretPreviousSince= ": {"secretPrevious": "1", "secretVersion": "2", "secretSince": "2026-11-01T00:00:00Z",
			"secretPreviousSince": ""},
		"secretPreviousSince=2026-11-01": {"secretPrevious": "1", "secretVersion": "2",
			"secretSince": "2026-11-01T00:00:00Z", "secretPreviousSince": "2026-11-01T00:00:00Z"},
	} {
		if _, err := readTestSettings(given); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%v: got error %v, want %s in it", given, err, name)
		}
	}
}

func TestCheckStage(t *testing.T) {
	t.Parallel()
	for name, ok := range map[string]bool{
		dev: true, prod: true, "pr-123": true, "a": true, "feature-new-pages-2": true, "x2345678901234567890": true,
		"x23456789012345678901": false, "": false, "PR-123": false, "pr_123": false, "pr.123": false, "1pr": false,
		"pr-": false, "-pr": false, "pr--1": false, "prü": false, "pr-1\n": false,
		// None of these stages would be protected.
		"production": false, "prd": false, "live": false, "prod-eu": false, "eu-prod": false, "prod2": false,
		"eu-live-1": false, "preprod": true, "products": true, "alive": true,
		// Resources of dev already have the names that resources of the refused stages would get.
		"dev-table": false, "dev-restored": false, "dev-files": false, "table": true, "dev-tables": true,
	} {
		// The other setting is wrong, too, but only the stage is reported.
		_, err := readTestSettings(map[string]any{"stage": name, "workers": "1"})
		if err == nil || strings.HasPrefix(err.Error(), "context stage=") == ok {
			t.Errorf("%q: got error %v, want one of the stage: %t", name, err, !ok)
		}
	}
}

func TestReadSettings_CommandLineOverridesFile(t *testing.T) {
	t.Parallel()
	file := map[string]any{"rate": 7, "workers": 9, "alarmEmail": "prod@example.com", "account": "111122223333",
		"region": "eu-central-1"}
	s, err := readTestSettings(map[string]any{"stage": prod, "workers": "11",
		"stages": map[string]any{prod: file, dev: map[string]any{"burst": 1}}})
	if err != nil {
		t.Fatal(err)
	}
	if s.Rate != 7 || s.Workers != 11 || s.Burst != 2500 || s.AlarmEmail != "prod@example.com" || !s.isProd() {
		t.Errorf("got %+v, want rate 7, 11 workers, burst 2500 and the mail prod@example.com", s)
	}
}

// TestReadSettings_AcquirerHosts checks that the setting liveAcquirer also allows the acquirer's pages, unless the
// operator lists other hosts.
func TestReadSettings_AcquirerHosts(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{"": "*.stripe.com", "pay.example.com": "pay.example.com"} {
		all := map[string]any{"liveAcquirer": "stripe", "acquirerSecret": "stripe", "rawCardsApproved": "yes"}
		if given != "" {
			all["acquirerHosts"] = given
		}
		if s, err := readTestSettings(all); err != nil || s.AcquirerHosts != want {
			t.Errorf("%q: got hosts %q, error %v; want %q", given, s.AcquirerHosts, err, want)
		}
	}
}

// TestReadSettings_StageWithoutSection checks that a stage without a section gets dev's settings, except the settings
// that are marked "own". A stage with a section gets no settings from dev's section.
func TestReadSettings_StageWithoutSection(t *testing.T) {
	t.Parallel()
	stages := map[string]any{dev: map[string]any{
		"account": "111122223333", "region": "eu-central-1", "rate": 7, "refundRules": "BR:90",
		"domain": "dev.example.com", "certificate": "arn:aws:acm:eu-central-1:111122223333:certificate/1",
		"zoneId": "Z1", "zoneName": "example.com", "baseUrl": "https://dev.example.com", "alarmEmail": "dev@example.com",
		"pageEmail": "page@example.com", "mailFrom": "no-reply@example.com",
		"secretVersion": "2", "secretSince": "2026-11-02T00:00:00Z", "secretPrevious": "1",
		"secretPreviousSince": "2026-11-01T00:00:00Z", "lastingVersion": "3", "liveAcquirer": "stripe",
		"acquirerSecret": "stripe", "acquirerSecretVersion": "4", "rawCardsApproved": "yes",
	}, "load": map[string]any{"rate": 1000}}
	for stage, want := range map[string]settings{
		"pr-123": {Stage: "pr-123", Build: "../.build", Account: "111122223333", Region: "eu-central-1", Rate: 7,
			Burst: 200, Workers: 5, DueShards: store.DefaultDueShards, RefundRules: "BR:90", TrustedProxies: "0",
			TracedShare: 1, SecretSince: always, SecretPreviousSince: always},
		"load": {Stage: "load", Build: "../.build", Rate: 1000, Burst: 200, Workers: 5,
			DueShards: store.DefaultDueShards, TrustedProxies: "0", TracedShare: 1, SecretSince: always,
			SecretPreviousSince: always},
	} {
		got, err := readTestSettings(map[string]any{"stage": stage, "stages": stages})
		if diff := cmp.Diff(want, got); err != nil || diff != "" || got.isProd() {
			t.Errorf("%s: got error %v, settings (-want +got):\n%s", stage, err, diff)
		}
	}
	if _, err := readTestSettings(map[string]any{"stage": prod, "stages": stages}); !errors.Is(err, errNotPinned) {
		t.Errorf("prod without a section: got error %v, want %v", err, errNotPinned)
	}
}

func TestCheckCredentials(t *testing.T) {
	t.Parallel()
	const own, other = "111122223333", "444455556666"
	for _, c := range []struct {
		pinned, credentials string
		ok                  bool
	}{{own, own, true}, {own, other, false}, {own, "", true}, {"", other, true}, {"", "", true}} {
		err := settings{Stage: prod, Account: c.pinned}.checkCredentials(c.credentials)
		if (err == nil) != c.ok || err != nil && !strings.Contains(err.Error(), own+", and these credentials are of "+other) {
			t.Errorf("%+v: got error %v, want one with both accounts: %t", c, err, !c.ok)
		}
	}
}

func TestReadSettings_Defaults(t *testing.T) {
	t.Parallel()
	s, err := readTestSettings(nil)
	if err != nil || s.Stage != dev || s.isProd() || s.Build != "../.build" ||
		s.DueShards != 64 {
		t.Errorf("got %+v and error %v, want dev, built in ../.build, 64 due shards", s, err)
	}
}

func TestCheckNodeVersion(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]struct{ warning, ok bool }{"v18.20.4": {}, "": {}, "nonsense": {},
		"v20.20.2": {true, true}, "v22.21.0": {false, true}, "v24.1.0": {false, true}} {
		warning, err := checkNodeVersion(version)
		if (err == nil) != want.ok || (warning != "") != want.warning {
			t.Errorf("%q: got warning %q and error %v, want one: %t, accepted: %t", version, warning, err, want.warning,
				want.ok)
		}
	}
}

// TestNodeVersion_SameInAllDocuments checks that each document names the required and the recommended version.
func TestNodeVersion_SameInAllDocuments(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"README.md", "../README.md", "../Makefile"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		const want = "Node.js 20 or later"
		if got := strings.Join(strings.Fields(string(text)), " "); !strings.Contains(got, want) ||
			!strings.Contains(got, "22 is recommended") {
			t.Errorf("%s: got no %q with \"22 is recommended\", want both", file, want)
		}
	}
	if text, err := os.ReadFile("package.json"); err != nil || !strings.Contains(string(text), `"node": ">=20"`) {
		t.Errorf("package.json: got %s and error %v, want engines of Node.js 20 or later", text, err)
	}
}
