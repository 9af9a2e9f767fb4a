package linear_test

import (
	"errors"
	"testing"

	. "github.com/cashwrap/cashwrap/localstack/simulator/linear"
)

var daily = Settings{Period: "daily"}

func period(p string) SettingsChange { return SettingsChange{Period: &p} }

func onDemand(available bool) SettingsChange {
	yes := true
	if !available {
		return SettingsChange{OnDemand: &yes}
	}
	return SettingsChange{OnDemand: &yes, Available: &yes}
}

func shown(c SettingsChange, s Settings, call, until int64) SettingsRequest {
	return SettingsRequest{Change: c, Answer: Shown, Shows: s, Call: call, Return: until}
}

func unanswered(c SettingsChange, call int64) SettingsRequest {
	return SettingsRequest{Change: c, Call: call, Return: Never}
}

func denied(c SettingsChange, call, until int64) SettingsRequest {
	return SettingsRequest{Change: c, Answer: Denied, Call: call, Return: until}
}

func TestSettingsHistory_Linear(t *testing.T) {
	t.Parallel()
	gross := true
	weekly, both := Settings{Period: "weekly"}, Settings{Period: "weekly", Gross: true}
	for name, requests := range map[string][]SettingsRequest{
		"none":                nil,
		"one after the other": {shown(period("weekly"), weekly, 1, 2), shown(SettingsChange{}, weekly, 3, 4)},
		"at once, of different kinds": {shown(period("weekly"), weekly, 1, 9),
			shown(SettingsChange{Gross: &gross}, both, 1, 9)},
		"without an answer, and made": {unanswered(period("weekly"), 1), shown(SettingsChange{}, daily, 2, 3),
			shown(SettingsChange{}, weekly, 8, 9)},
		"without an answer, and not": {unanswered(period("weekly"), 1), shown(SettingsChange{}, daily, 8, 9)},
		"denied, then made available": {denied(onDemand(false), 1, 2), shown(onDemand(true),
			Settings{Period: "daily", OnDemand: true, Available: true}, 3, 4)},
		"an operator asks": {{Change: onDemand(false), Operator: true, Answer: Shown,
			Shows: Settings{Period: "daily", OnDemand: true}, Call: 1, Return: 2}},
	} {
		if err := (SettingsHistory{Begin: daily, Requests: requests}).Check(); err != nil {
			t.Errorf("%s: got error %v, want none", name, err)
		}
	}
}

func TestSettingsHistory_NotLinear(t *testing.T) {
	t.Parallel()
	gross := true
	weekly := Settings{Period: "weekly"}
	for name, requests := range map[string][]SettingsRequest{
		"a change that is lost": {shown(period("weekly"), weekly, 1, 2), shown(SettingsChange{}, daily, 3, 4)},
		"a read of what comes":  {shown(SettingsChange{}, weekly, 1, 2), unanswered(period("weekly"), 3)},
		"a change that is undone": {shown(period("weekly"), weekly, 1, 9),
			shown(SettingsChange{Gross: &gross}, Settings{Period: "daily", Gross: true}, 1, 9),
			shown(SettingsChange{}, weekly, 10, 11)},
		"half of a change": {unanswered(SettingsChange{Period: &weekly.Period, Gross: &gross}, 1),
			shown(SettingsChange{}, weekly, 2, 3)},
		"denied what is available": {shown(onDemand(true), Settings{"daily", true, true, false}, 1, 2),
			denied(onDemand(false), 3, 4)},
		"granted what is unavailable": {shown(onDemand(false), Settings{Period: "daily", OnDemand: true}, 1, 2)},
	} {
		if err := (SettingsHistory{Begin: daily, Requests: requests}).Check(); !errors.Is(err, ErrNotLinear) {
			t.Errorf("%s: got error %v, want %v", name, err, ErrNotLinear)
		}
	}
}
