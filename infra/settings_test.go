package main

import (
	"maps"
	"strings"
	"testing"

	"github.com/aws/aws-cdk-go/awscdk/v2"
)

// read reads settings as the app would, without cdk.json.
func read(given map[string]any) (settings, error) {
	node.Lock()
	defer node.Unlock()
	context := map[string]any{"secretSince": "2026-11-01T00:00:00Z"}
	maps.Copy(context, given)
	return readSettings(awscdk.NewApp(&awscdk.AppProps{Context: &context}).Node())
}

func TestEachWrongSettingIsNamed(t *testing.T) {
	t.Parallel()
	for name, given := range map[string]map[string]any{
		"stage":         {"stage": "test"},
		"domain":        {"domain": "api.example.com"},
		"certificate":   {"certificate": "arn:aws:acm:eu-central-1:111122223333:certificate/1"},
		"zoneId":        {"zoneId": "Z1", "zoneName": "example.com"},
		"baseUrl":       {"baseUrl": "https://api.example.com/"},
		"rate":          {"rate": "0"},
		"burst":         {"burst": "many"},
		"workers":       {"workers": "1"},
		"pollers=1 ":    {"pollers": "1"},
		"pollers=201 ":  {"pollers": "201"},
		"workers=1001 ": {"workers": "1001"},
		"dueShards=0":   {"dueShards": "0"},
		"dueShards=257": {"dueShards": "257"},
		"refundRules":   {"refundRules": "BR:90 everywhere"},
		"secretSince":   {"secretSince": "yesterday"},
		"secretVersion": {"secretPrevious": "1", "secretPreviousSince": "2026-10-01T00:00:00Z"},
		"secretPrevious: ": {"secretPrevious": "1", "secretVersion": "1",
			"secretPreviousSince": "2026-10-01T00:00:00Z"},
		"secretPreviousSince= ": {"secretPrevious": "1", "secretVersion": "2"},
		"secretPreviousSince=2026-11-01": {"secretPrevious": "1", "secretVersion": "2",
			"secretPreviousSince": "2026-11-01T00:00:00Z"},
	} {
		if _, err := read(given); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%v: got error %v, want %s in it", given, err, name)
		}
	}
}

// TestAWrongStageIsTheOnlyError: the settings of another stage do not matter.
func TestAWrongStageIsTheOnlyError(t *testing.T) {
	t.Parallel()
	if _, err := read(map[string]any{"stage": "test", "secretSince": "", "workers": "1"}); err == nil ||
		err.Error() != "context stage=test: give dev or prod" {
		t.Errorf("got error %v, want only that the stage must be dev or prod", err)
	}
}

func TestTheCommandLineOverridesTheStagesFile(t *testing.T) {
	t.Parallel()
	file := map[string]any{"rate": 7, "workers": 9, "alarmEmail": "prod@example.com"}
	s, err := read(map[string]any{"stage": prod, prod: file, dev: map[string]any{"burst": 1}, "workers": "11"})
	if err != nil {
		t.Fatal(err)
	}
	if s.Rate != 7 || s.Workers != 11 || s.Burst != 2500 || s.AlarmEmail != "prod@example.com" {
		t.Errorf("got %+v, want rate 7, 11 workers, burst 2500 and the mail prod@example.com", s)
	}
}

func TestTheStageDefaultsToDev(t *testing.T) {
	t.Parallel()
	s, err := read(nil)
	if err != nil || s.Stage != dev || s.Production() || s.Build != "../.build" || s.PayPal ||
		s.DueShards != 64 {
		t.Errorf("got %+v and error %v, want dev, built in ../.build, without PayPal, 64 due shards", s, err)
	}
}

func TestAnOldNodeIsRefused(t *testing.T) {
	t.Parallel()
	for version, ok := range map[string]bool{"v20.20.2": true, "v24.1.0": true, "v18.20.4": false,
		"": false, "nonsense": false} {
		if err := newEnough(version); (err == nil) != ok {
			t.Errorf("%q: got error %v, want one: %t", version, err, !ok)
		}
	}
}
