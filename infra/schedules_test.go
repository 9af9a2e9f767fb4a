package main

import (
	"slices"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/functions"
)

func TestAddSchedule_TargetAndRole(t *testing.T) {
	t.Parallel()
	s := inDev(t)
	schedules := 0
	for _, f := range functions.All {
		if f.Tick == nil {
			continue
		}
		schedules++
		function, _ := s.function(t, dev, f.Name)
		dead, _ := s.queue(t, dev, f.Name+"-dead")
		_, r := s.named(t, "AWS::Scheduler::Schedule", "Name", "cashwrap-dev-"+f.Name)
		target := r.Properties["Target"].(map[string]any)
		if toJSON(target["Arn"]) != toJSON(arn(function)) ||
			toJSON(target["DeadLetterConfig"]) != toJSON(map[string]any{"Arn": arn(dead)}) {
			t.Errorf("%s: got target %s, want %s and dead letters to %s", f.Name, toJSON(target), function, dead)
		}
		if r.Properties["ScheduleExpression"] == nil || toJSON(r.Properties["FlexibleTimeWindow"]) != `{"Mode":"OFF"}` {
			t.Errorf("%s: got schedule %v, want an expression and no flexible window", f.Name, r.Properties)
		}
		s.checkRole(t, target["RoleArn"], function, dead)
	}
	if found := len(s.all("AWS::Scheduler::Schedule")); found != schedules || schedules == 0 {
		t.Errorf("got %d schedules, want %d", found, schedules)
	}
}

// checkRole checks that the schedule's role may invoke only that function and send only to that dead-letter queue, and
// that only this account may assume the role.
func (s *synthesis) checkRole(t *testing.T, role any, function, dead string) {
	t.Helper()
	for id, r := range s.all("AWS::IAM::Role") {
		if toJSON(arn(id)) != toJSON(role) {
			continue
		}
		allowed := s.allowed(id)
		if len(allowed) != 2 || !slices.Equal(allowed["lambda:InvokeFunction"], []string{toJSON(arn(function))}) ||
			!slices.Equal(allowed["sqs:SendMessage"], []string{toJSON(arn(dead))}) {
			t.Errorf("%s: got allowed %v, want to invoke %s and send to %s", id, allowed, function, dead)
		}
		trust := r.Properties["AssumeRolePolicyDocument"].(map[string]any)["Statement"].([]any)[0].(map[string]any)
		if toJSON(trust["Principal"]) != `{"Service":"scheduler.amazonaws.com"}` ||
			toJSON(trust["Condition"]) != `{"StringEquals":{"aws:SourceAccount":{"Ref":"AWS::AccountId"}}}` {
			t.Errorf("%s: got trust %s, want the scheduler of this account", id, toJSON(trust))
		}
		return
	}
	t.Errorf("got no role %s, want it", toJSON(role))
}

// TestAddSchedule_RateAndRetries checks the rate and the retries of schedules. A late call must be dropped when the
// next call is due.
func TestAddSchedule_RateAndRetries(t *testing.T) {
	t.Parallel()
	s := inDev(t)
	for name, want := range map[string]struct {
		rate         string
		retries, age int
	}{
		"sweep": {"rate(1 minute)", 0, 60}, "payoutplan": {"cron(0/15 * * * ? *)", 0, 15 * 60},
		"reconcile": {"rate(1 day)", 2, 6 * 3600},
	} {
		function, _ := s.function(t, dev, name)
		s.want(t, "AWS::Scheduler::Schedule", map[string]any{"Name": "cashwrap-dev-" + name, "ScheduleExpression": want.rate,
			"Target": map[string]any{"RetryPolicy": map[string]any{"MaximumRetryAttempts": callRetries,
				"MaximumEventAgeInSeconds": want.age}}})
		s.want(t, "AWS::Lambda::EventInvokeConfig", map[string]any{
			"FunctionName": ref(function), "MaximumRetryAttempts": want.retries, "MaximumEventAgeInSeconds": want.age})
	}
}

func TestExpressionOf_UnsupportedInterval(t *testing.T) {
	t.Parallel()
	for _, s := range []functions.Schedule{{Every: 90 * time.Second}, {Every: time.Second},
		{Every: 25 * time.Minute, Aligned: true}, {Every: 24 * time.Hour, Aligned: true}} {
		if got, err := expressionOf(&s); err == nil {
			t.Errorf("%+v: got %s, want an error", s, *got.ExpressionString())
		}
	}
}

func TestRetriesOf(t *testing.T) {
	t.Parallel()
	for every, want := range map[time.Duration]struct{ retries, age int }{
		time.Minute: {0, 60}, 30 * time.Minute: {0, 1800}, time.Hour: {2, 3600}, 24 * time.Hour: {2, 6 * 3600},
	} {
		s := &functions.Schedule{Every: every}
		if retries, age := retriesOf(s), ageOf(s); retries != want.retries || age != want.age {
			t.Errorf("every %s: got %d retries, up to %d s, want %v", every, retries, age, want)
		}
	}
}
