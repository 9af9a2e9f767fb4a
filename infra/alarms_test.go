package main

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/functions"
	"github.com/cashwrap/cashwrap/shared/metric"
	"github.com/cashwrap/cashwrap/shared/store"
)

const alarmKind = "AWS::CloudWatch::Alarm"

// alarmed fails unless there is an alarm on the metric with these dimensions.
func (s *synthesis) alarmed(t *testing.T, space, metric string, more map[string]any, dimensions ...any) {
	t.Helper()
	properties := map[string]any{"Namespace": space, "MetricName": metric}
	for name, value := range more {
		properties[name] = value
	}
	var pairs []any
	for i := 0; i < len(dimensions); i += 2 {
		pairs = append(pairs, map[string]any{"Name": dimensions[i], "Value": dimensions[i+1]})
	}
	if pairs != nil {
		properties["Dimensions"] = pairs
	}
	s.has(t, alarmKind, properties)
}

func TestEachFunctionHasItsAlarms(t *testing.T) {
	t.Parallel()
	s, any1 := inDev(t), map[string]any{"Threshold": 1, "Statistic": "Sum", "TreatMissingData": "notBreaching"}
	for _, f := range functions.All {
		id, _ := s.function(t, dev, f.Name)
		s.alarmed(t, "AWS/Lambda", "Errors", any1, "FunctionName", ref(id))
		s.alarmed(t, "AWS/Lambda", "Throttles", any1, "FunctionName", ref(id))
		if f.HTTP != nil {
			s.alarmed(t, "AWS/Lambda", "Duration", map[string]any{"ExtendedStatistic": "p99", "Threshold": 3000,
				"EvaluationPeriods": 3}, "FunctionName", ref(id))
		}
		if f.Stream != nil {
			s.alarmed(t, "AWS/Lambda", "IteratorAge", map[string]any{"Statistic": "Maximum", "Threshold": 60000},
				"FunctionName", ref(id))
		}
	}
	for name, period := range map[string]int{"sweep": 5 * 60, "payoutplan": 75 * 60} { // five ticks in a row
		id, _ := s.function(t, dev, name)
		s.alarmed(t, "AWS/Lambda", "Invocations", map[string]any{"Statistic": "Sum", "Period": period, "EvaluationPeriods": 1,
			"Threshold": 1, "ComparisonOperator": "LessThanThreshold", "TreatMissingData": "breaching"}, "FunctionName", ref(id))
	}
}

// TestMissingDataRaiseAlarmsOnlyWhereSomethingMustHappen, and each alarm covers no more
// time than CloudWatch allows: a day, or seven where its period is an hour or longer
// (PutMetricAlarm).
func TestMissingDataRaiseAlarmsOnlyWhereSomethingMustHappen(t *testing.T) {
	t.Parallel()
	var silent []string
	for id, r := range inDev(t).all(alarmKind) {
		period, periods := r.Properties["Period"].(float64), r.Properties["EvaluationPeriods"].(float64)
		longest := 24 * time.Hour
		if period >= time.Hour.Seconds() {
			longest *= 7
		}
		if int(period)%60 != 0 || period*periods > longest.Seconds() {
			t.Errorf("%s: got %v periods of %v s, want whole minutes, in all at most %s", id, periods, period, longest)
		}
		switch raised := [2]any{r.Properties["ComparisonOperator"], r.Properties["TreatMissingData"]}; raised {
		case [2]any{"LessThanThreshold", "breaching"}:
			silent = append(silent, r.Properties["AlarmName"].(string))
		case [2]any{"GreaterThanOrEqualToThreshold", "notBreaching"}:
		default:
			t.Errorf("%s: got raised by %v, want by too much or by missing data", id, raised)
		}
	}
	if got, want := sorted(silent), "cashwrap-dev-PayoutplanNotInvoked cashwrap-dev-ReconcileMissing "+
		"cashwrap-dev-SweepNotInvoked"; got != want {
		t.Errorf("raised by missing data: got %s, want %s", got, want)
	}
}

func TestEachQueueHasItsAlarms(t *testing.T) {
	t.Parallel()
	s := inDev(t)
	for id, r := range s.all("AWS::SQS::Queue") {
		name := attributeOf(id, "QueueName")
		if strings.HasSuffix(r.Properties["QueueName"].(string), "-dead") {
			s.alarmed(t, "AWS/SQS", "ApproximateNumberOfMessagesVisible", map[string]any{"Threshold": 1, "Statistic": "Maximum"},
				"QueueName", name)
		} else {
			s.alarmed(t, "AWS/SQS", "ApproximateAgeOfOldestMessage", map[string]any{"Threshold": 900, "Statistic": "Maximum"},
				"QueueName", name)
		}
	}
}

func TestTheTableTheAPIAndTheGuaranteesHaveAlarms(t *testing.T) {
	t.Parallel()
	s := inDev(t)
	table, _ := s.named(t, tableKind, "TableName", "cashwrap-dev")
	any1 := map[string]any{"Threshold": 1, "Statistic": "Sum"}
	for _, metric := range []string{"ReadThrottleEvents", "WriteThrottleEvents"} {
		s.alarmed(t, "AWS/DynamoDB", metric, any1, "TableName", ref(table))
		for _, index := range store.Indexes {
			s.alarmed(t, "AWS/DynamoDB", metric, any1, "GlobalSecondaryIndexName", index.Name, "TableName", ref(table))
		}
	}
	s.alarmed(t, "AWS/DynamoDB", "SystemErrors", any1, "Operation", "TransactWriteItems", "TableName", ref(table))
	for api := range s.all("AWS::ApiGatewayV2::Api") {
		s.alarmed(t, "AWS/ApiGateway", "5xx", any1, "ApiId", ref(api))
		s.alarmed(t, "AWS/ApiGateway", "Latency", map[string]any{"ExtendedStatistic": "p99", "Threshold": 3000,
			"EvaluationPeriods": 3}, "ApiId", ref(api))
	}
}

// TestTheGuaranteesHaveAlarms of their own stage.
func TestTheGuaranteesHaveAlarms(t *testing.T) {
	t.Parallel()
	for stage, s := range map[string]*synthesis{dev: inDev(t), prod: inProd(t)} {
		found := map[string]any{"Threshold": 1, "Statistic": "Sum", "Period": 300, "TreatMissingData": "notBreaching"}
		for _, name := range []string{"OverdueCallbacks", "SweepFailures"} {
			s.alarmed(t, "Cashwrap", name, found, "Stage", stage)
		}
		s.alarmed(t, "Cashwrap", "ReconciliationBreaks", found, "Mode", "live", "Stage", stage)
		s.alarmed(t, "Cashwrap", "ReconciliationBreaks", map[string]any{"Statistic": "SampleCount",
			"Threshold": 1, "Period": 3600,
			"EvaluationPeriods": 26, "ComparisonOperator": "LessThanThreshold", "TreatMissingData": "breaching"}, "Mode", "live", "Stage", stage)
	}
}

// TestEachAlarmNotifiesTheTopic, to which CloudWatch may publish.
func TestEachAlarmNotifiesTheTopic(t *testing.T) {
	t.Parallel()
	s := inProd(t)
	topic, _ := s.named(t, "AWS::SNS::Topic", "TopicName", "cashwrap-prod-alarms")
	for id, r := range s.all(alarmKind) {
		if plain(r.Properties["AlarmActions"]) != plain([]any{ref(topic)}) ||
			plain(r.Properties["OKActions"]) != plain([]any{ref(topic)}) {
			t.Errorf("%s: got actions %v and %v, want %s in both", id, r.Properties["AlarmActions"],
				r.Properties["OKActions"], topic)
		}
		if says, _ := r.Properties["AlarmDescription"].(string); says == "" {
			t.Errorf("%s: got description %v, want a text", id, r.Properties["AlarmDescription"])
		}
	}
	s.has(t, "AWS::SNS::Subscription", map[string]any{"Protocol": "email", "Endpoint": "operator@example.com",
		"TopicArn": ref(topic)})
	for _, r := range s.all("AWS::SNS::TopicPolicy") {
		policy := plain(r.Properties["PolicyDocument"])
		if !strings.Contains(policy, `"cloudwatch.amazonaws.com"`) || !strings.Contains(policy,
			`{"aws:SourceAccount":"111122223333"}`) || !strings.Contains(policy, `"aws:SecureTransport":"false"`) {
			t.Errorf("got policy %s, want CloudWatch of this account only, over TLS", policy)
		}
	}
}

// TestTheDashboardShowsEverything: one, with each function, queue and index.
func TestTheDashboardShowsEverything(t *testing.T) {
	t.Parallel()
	s := inDev(t)
	dashboards := s.all("AWS::CloudWatch::Dashboard")
	if len(dashboards) != 1 {
		t.Fatalf("got %d dashboards, want 1", len(dashboards))
	}
	for _, r := range dashboards {
		body := plain(r.Properties["DashboardBody"])
		for _, kind := range []string{functionKind, "AWS::SQS::Queue", tableKind, "AWS::ApiGatewayV2::Api"} {
			for id := range s.all(kind) {
				if !strings.Contains(body, `"`+id+`"`) {
					t.Errorf("got dashboard %s, want %s on it", body, id)
				}
			}
		}
		for _, name := range slices.Concat(metricNames(), []string{"p99"}, indexNames()) {
			if !strings.Contains(body, name) {
				t.Errorf("got dashboard %s, want %s on it", body, name)
			}
		}
	}
}

func metricNames() []string {
	var names []string
	for _, m := range metric.All {
		names = append(names, m.Name)
	}
	return names
}

func indexNames() []string {
	var names []string
	for _, index := range store.Indexes {
		names = append(names, index.Name)
	}
	return names
}
