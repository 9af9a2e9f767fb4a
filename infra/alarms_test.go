package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/functions"
	"github.com/cashwrap/cashwrap/shared/metric"
	"github.com/cashwrap/cashwrap/shared/store"
)

const alarmKind = "AWS::CloudWatch::Alarm"

// metricText returns a metric as text, such as "AWS/Lambda Errors Sum 300 s {"FunctionName":{"Ref":"Checkouts"}}".
func metricText(space, name, statistic any, period float64, dimensions any) string {
	pairs := map[string]any{}
	all, _ := dimensions.([]any)
	for _, d := range all {
		pair := d.(map[string]any)
		pairs[pair["Name"].(string)] = pair["Value"]
	}
	return fmt.Sprint(space, " ", name, " ", statistic, " ", period, " s ", toJSON(pairs))
}

// alarmCondition returns an alarm's condition as text and the time that it covers. An example is "IF(whole >= 20, 100 *
// part / whole, 0) >= 5 in 2 of 3; part = …; whole = …".
func alarmCondition(r resource) (string, time.Duration) {
	a := r.Properties
	sign := map[any]string{"GreaterThanOrEqualToThreshold": ">=", "LessThanThreshold": "<"}[a["ComparisonOperator"]]
	beyond := fmt.Sprint(" ", sign, " ", a["Threshold"], " in ", a["DatapointsToAlarm"], " of ", a["EvaluationPeriods"])
	if a["TreatMissingData"] == "breaching" {
		beyond += " or missing"
	}
	periods := a["EvaluationPeriods"].(float64)
	parts, isExpression := a["Metrics"].([]any)
	if !isExpression {
		statistic := a["Statistic"]
		if statistic == nil {
			statistic = a["ExtendedStatistic"]
		}
		period := a["Period"].(float64)
		return metricText(a["Namespace"], a["MetricName"], statistic, period, a["Dimensions"]) + beyond,
			time.Duration(periods*period) * time.Second
	}
	var expression string
	var period float64
	metrics := map[string]string{}
	for _, part := range parts {
		p := part.(map[string]any)
		if p["Expression"] != nil {
			expression = p["Expression"].(string)
			continue
		}
		stat := p["MetricStat"].(map[string]any)
		m := stat["Metric"].(map[string]any)
		period = stat["Period"].(float64)
		metrics[p["Id"].(string)] = metricText(m["Namespace"], m["MetricName"], stat["Stat"], period, m["Dimensions"])
	}
	return expression + beyond + "; part = " + metrics["part"] + "; whole = " + metrics["whole"],
		time.Duration(periods*period) * time.Second
}

// wantAlarm fails unless the alarm has this severity and condition.
func (s *synthesis) wantAlarm(t *testing.T, stage, id string, of severity, want string) {
	t.Helper()
	_, r := s.named(t, alarmKind, "AlarmName", "cashwrap-"+stage+"-"+id)
	if got, _ := alarmCondition(r); got != want || severityIn(r) != of {
		t.Errorf("%s: got %s\n%s\nwant %s\n%s", id, severityIn(r), got, of, want)
	}
}

// severityIn returns the severity from an alarm's description.
func severityIn(r resource) severity {
	stated, _, _ := strings.Cut(r.Properties["AlarmDescription"].(string), ": ")
	return severity(stated)
}

func TestFunctionAlarms(t *testing.T) {
	t.Parallel()
	s := inDev(t)
	for _, f := range functions.All {
		id, _ := s.function(t, dev, f.Name)
		of := func(name, statistic string, period int) string {
			return fmt.Sprintf(`AWS/Lambda %s %s %d s {"FunctionName":{"Ref":"%s"}}`, name, statistic, period, id)
		}
		share := func(least, limit int, in string, period int) string {
			return fmt.Sprintf("IF(whole >= %d, 100 * part / whole, 0) >= %d in %s; part = %s; whole = %s", least, limit, in,
				of("Errors", "Sum", period), of("Invocations", "Sum", period))
		}
		name, urgent, errors := pascal(f.Name), warning, share(1, 5, "3 of 6", 300)
		switch {
		case f.Name == "checkouts", f.Name == "pages":
			urgent, errors = critical, share(20, 5, "2 of 3", 300)
		case f.Name == "sweep":
			urgent, errors = critical, share(1, 50, "1 of 1", 300)
		case f.Name == "reconcile", f.Name == "provision":
			errors = of("Errors", "Sum", 300) + " >= 1 in 1 of 1"
		case f.Tick != nil:
			errors = share(1, 50, "1 of 1", int(5*f.Tick.Every.Seconds()))
		}
		s.wantAlarm(t, dev, name+"Errors", urgent, errors)
		if f.HTTP != nil || f.Queue != nil || f.Stream != nil {
			s.wantAlarm(t, dev, name+"Throttles", warning, "IF(whole >= 1, 100 * part / (part + whole), 0) >= 5 in 3 of 6; "+
				"part = "+of("Throttles", "Sum", 300)+"; whole = "+of("Invocations", "Sum", 300))
		}
		if f.HTTP != nil && f.Queue == nil {
			s.wantAlarm(t, dev, name+"Slow", warning, of("Duration", "p99", 300)+" >= 3000 in 3 of 3")
		}
		if f.Stream != nil {
			s.wantAlarm(t, dev, name+"Behind", warning, of("IteratorAge", "Maximum", 300)+" >= 60000 in 3 of 3")
		}
		if f.Tick != nil && f.Tick.Every < time.Hour {
			s.wantAlarm(t, dev, name+"NotInvoked", urgent, of("Invocations", "Sum", int(5*f.Tick.Every.Seconds()))+
				" < 1 in 1 of 1 or missing")
		}
	}
}

// TestAlarms_MissingData checks that missing data raise only the alarms on events that must happen. It also checks that
// no alarm covers more time than CloudWatch allows. The maximum is a day, or seven days if the alarm's period is an
// hour or longer (PutMetricAlarm).
func TestAlarms_MissingData(t *testing.T) {
	t.Parallel()
	var silent []string
	for id, r := range inDev(t).all(alarmKind) {
		text, covered := alarmCondition(r)
		longest, periods := 24*time.Hour, time.Duration(r.Properties["EvaluationPeriods"].(float64))
		if covered/periods >= time.Hour {
			longest *= 7
		}
		if covered/periods%time.Minute != 0 || covered > longest || covered == 0 {
			t.Errorf("%s: got %d periods of %s, want whole minutes, in all at most %s", id, periods, covered/periods, longest)
		}
		switch raised := [2]any{r.Properties["ComparisonOperator"], r.Properties["TreatMissingData"]}; raised {
		case [2]any{"LessThanThreshold", "breaching"}:
			silent = append(silent, r.Properties["AlarmName"].(string))
		case [2]any{"GreaterThanOrEqualToThreshold", "notBreaching"}:
		default:
			t.Errorf("%s: got raised by %v, want by too much or by missing data", text, raised)
		}
	}
	if got, want := sorted(silent), "cashwrap-dev-PayoutplanNotInvoked cashwrap-dev-ReconcileMissing "+
		"cashwrap-dev-SweepNotInvoked"; got != want {
		t.Errorf("raised by missing data: got %s, want %s", got, want)
	}
}

// TestAlarms_CriticalOnlyByShare checks that critical alarms depend on a share of at least ten events. Exceptions are
// the alarms on breaks of live money and on events that must happen.
func TestAlarms_CriticalOnlyByShare(t *testing.T) {
	t.Parallel()
	minimum := regexp.MustCompile(`^IF\(whole >= [1-9]\d+, .* in [23] of \d`)
	var others []string
	for _, r := range inProd(t).all(alarmKind) {
		if text, _ := alarmCondition(r); severityIn(r) == critical && !minimum.MatchString(text) {
			others = append(others, strings.TrimPrefix(r.Properties["AlarmName"].(string), "cashwrap-prod-"))
		}
	}
	if got, want := sorted(others), "Reconcile SweepErrors SweepNotInvoked"; got != want {
		t.Errorf("critical without a share: got %s, want %s", got, want)
	}
}

// TestAlarms_LiveModeOnly checks that alarms on metrics by mode use live mode only.
func TestAlarms_LiveModeOnly(t *testing.T) {
	t.Parallel()
	for stage, s := range map[string]*synthesis{dev: inDev(t), prod: inProd(t)} {
		unwatched := map[string]bool{}
		for _, m := range metric.All {
			unwatched[m.Name] = true
		}
		for _, r := range s.all(alarmKind) {
			text, _ := alarmCondition(r)
			for found := range strings.SplitSeq(text, metric.Namespace+" ") {
				name, rest, _ := strings.Cut(found, " ")
				i := slices.IndexFunc(metric.All, func(m metric.Metric) bool { return m.Name == name })
				if i < 0 {
					continue
				}
				delete(unwatched, name)
				want := `{"Stage":"` + stage + `"}`
				if metric.All[i].ByMode {
					want = `{"Mode":"live","Stage":"` + stage + `"}`
				}
				if !strings.Contains(rest, " s "+want) {
					t.Errorf("got alarm on %s, want dimensions %s", found, want)
				}
			}
		}
		if got, want := sortedKeys(unwatched), "ResolvedCheckouts ResolvedRefunds"; got != want {
			t.Errorf("%s: got metrics without an alarm %q, want %q, which are normal", stage, got, want)
		}
	}
}

func sortedKeys(set map[string]bool) string {
	var all []string
	for name := range set {
		all = append(all, name)
	}
	return sorted(all)
}

func TestMoneyAlarms(t *testing.T) {
	t.Parallel()
	s := inProd(t)
	live := func(name, statistic string, period int) string {
		return fmt.Sprintf(`Cashwrap %s %s %d s {"Mode":"live","Stage":"prod"}`, name, statistic, period)
	}
	ofAttempts := func(name string) string {
		return "IF(whole >= 10, 100 * part / whole, 0) >= 20 in 2 of 3; part = " + live(name, "Sum", 300) + "; whole = " +
			live("PaymentsAttempted", "Sum", 300)
	}
	for id, want := range map[string]string{
		"critical ApprovalRate": "IF(whole >= 20, 100 * (1 - part), 0) >= 50 in 3 of 4; part = " +
			live("PaymentsApproved", "Average", 900) + "; whole = " + live("PaymentsApproved", "SampleCount", 900),
		"critical AcquirerUnknown": ofAttempts("PaymentsUnknown"),
		"critical AcquirerRefuses": ofAttempts("PaymentsNotTaken"),
		"warning AcquirerSlow":     live("AcquirerLatency", "p99", 300) + " >= 5000 in 3 of 3",
		"warning PaymentUnknown":   live("UnknownPaymentAge", "Maximum", 1800) + " >= 3600 in 1 of 1",
		"warning RefundUnknown":    live("UnknownRefundAge", "Maximum", 1800) + " >= 3600 in 1 of 1",
		"warning PayoutsLate":      live("OldestPayoutAge", "Maximum", 1800) + " >= 3600 in 1 of 1",
		"warning PayoutsFailed":    live("FailedPayouts", "Sum", 300) + " >= 1 in 1 of 1",
		"critical Reconcile":       live("ReconciliationBreaks", "Sum", 300) + " >= 1 in 1 of 1",
		"warning ReconcileMissing": live("ReconciliationBreaks", "SampleCount", 3600) + " < 1 in 26 of 26 or missing",
		"warning DueLate":          live("OldestDueAge", "Maximum", 300) + " >= 900 in 3 of 3",
		"warning CallbacksDead":    live("DeadCallbacks", "Sum", 3600) + " >= 10 in 1 of 1",
		"warning MailsDead":        live("DeadMails", "Sum", 3600) + " >= 1 in 1 of 1",
		"warning MailsDropped":     live("DroppedMails", "Sum", 3600) + " >= 20 in 1 of 1",
		"warning MailsHeld":        live("HeldMails", "Sum", 3600) + " >= 1 in 1 of 1",
		"warning MailsOverdue":     `Cashwrap OverdueMails Sum 300 s {"Stage":"prod"} >= 1 in 3 of 12`,
		"warning SweepFailures":    `Cashwrap SweepFailures Sum 300 s {"Stage":"prod"} >= 1 in 3 of 3`,
		"warning Overdue":          `Cashwrap OverdueCallbacks Sum 300 s {"Stage":"prod"} >= 1 in 3 of 12`,
	} {
		of, name, _ := strings.Cut(id, " ")
		s.wantAlarm(t, prod, name, severity(of), want)
	}
}

func TestQueueAlarms(t *testing.T) {
	t.Parallel()
	s := inDev(t)
	for id, r := range s.all("AWS::SQS::Queue") {
		name := strings.TrimPrefix(r.Properties["QueueName"].(string), "cashwrap-dev-")
		of := ` Maximum 300 s {"QueueName":` + toJSON(attributeOf(id, "QueueName")) + "} >= "
		if strings.HasSuffix(name, "-dead") {
			s.wantAlarm(t, dev, "Queue"+pascal(name), warning, "AWS/SQS ApproximateNumberOfMessagesVisible"+of+"1 in 1 of 1")
		} else {
			s.wantAlarm(t, dev, "Queue"+pascal(name)+"Stale", warning,
				"AWS/SQS ApproximateAgeOfOldestMessage"+of+"900 in 1 of 1")
		}
	}
}

func TestAlarms_TableAndAPI(t *testing.T) {
	t.Parallel()
	s := inDev(t)
	id, _ := s.named(t, tableKind, "TableName", "cashwrap-dev")
	for _, name := range []string{"ReadThrottleEvents", "WriteThrottleEvents"} {
		s.wantAlarm(t, dev, "Table"+name, warning, "AWS/DynamoDB "+name+` Sum 300 s {"TableName":{"Ref":"`+id+
			`"}} >= 10 in 3 of 6`)
		for _, index := range store.Indexes {
			s.wantAlarm(t, dev, "Index"+pascal(index.Name)+name, warning, "AWS/DynamoDB "+name+
				` Sum 300 s {"GlobalSecondaryIndexName":"`+index.Name+`","TableName":{"Ref":"`+id+`"}} >= 10 in 3 of 6`)
		}
	}
	s.wantAlarm(t, dev, "TableErrors", warning, `AWS/DynamoDB SystemErrors Sum 300 s {"Operation":"TransactWriteItems",`+
		`"TableName":{"Ref":"`+id+`"}} >= 5 in 3 of 6`)
	for api := range s.all("AWS::ApiGatewayV2::Api") {
		of := func(name, statistic string, period int) string {
			return fmt.Sprintf(`AWS/ApiGateway %s %s %d s {"ApiId":{"Ref":"%s"}}`, name, statistic, period, api)
		}
		s.wantAlarm(t, dev, "ApiErrors", critical, "IF(whole >= 20, 100 * part / whole, 0) >= 5 in 2 of 3; part = "+
			of("5xx", "Sum", 300)+"; whole = "+of("Count", "Sum", 300))
		s.wantAlarm(t, dev, "ApiFewErrors", warning, "IF(whole >= 1, 100 * part / whole, 0) >= 1 in 1 of 1; part = "+
			of("5xx", "Sum", 3600)+"; whole = "+of("Count", "Sum", 3600))
		s.wantAlarm(t, dev, "ApiSlow", warning, of("Latency", "p99", 300)+" >= 3000 in 3 of 3")
	}
}

// TestAddAlarm_TopicOfItsSeverity checks that each alarm uses the topic of its severity, and that CloudWatch may
// publish to the topics.
func TestAddAlarm_TopicOfItsSeverity(t *testing.T) {
	t.Parallel()
	s := inProd(t)
	for of, email := range map[severity]string{critical: "pager@example.com", warning: "operator@example.com"} {
		topic, _ := s.named(t, "AWS::SNS::Topic", "TopicName", "cashwrap-prod-"+string(of))
		alarms := 0
		for id, r := range s.all(alarmKind) {
			if severityIn(r) != of {
				continue
			}
			alarms++
			if toJSON(r.Properties["AlarmActions"]) != toJSON([]any{ref(topic)}) ||
				toJSON(r.Properties["OKActions"]) != toJSON([]any{ref(topic)}) {
				t.Errorf("%s: got actions %v and %v, want %s in both", id, r.Properties["AlarmActions"],
					r.Properties["OKActions"], topic)
			}
		}
		if alarms == 0 {
			t.Errorf("got no %s alarm, want some", of)
		}
		s.want(t, "AWS::SNS::Subscription", map[string]any{"Protocol": "email", "Endpoint": email, "TopicArn": ref(topic)})
		if name := pascal(string(of)) + "Topic"; toJSON(s.outputs[name].Value) != toJSON(ref(topic)) {
			t.Errorf("got output %s %v, want %s", name, s.outputs[name], topic)
		}
	}
	for id, r := range s.all(alarmKind) {
		if of := severityIn(r); of != critical && of != warning {
			t.Errorf("%s: got description %v, want one that begins with its severity", id, r.Properties["AlarmDescription"])
		}
	}
	policies := s.all("AWS::SNS::TopicPolicy")
	for _, r := range policies {
		policy := toJSON(r.Properties["PolicyDocument"])
		if !strings.Contains(policy, `"cloudwatch.amazonaws.com"`) || !strings.Contains(policy,
			`{"aws:SourceAccount":"111122223333"}`) || !strings.Contains(policy, `"aws:SecureTransport":"false"`) {
			t.Errorf("got policy %s, want CloudWatch of this account only, over TLS", policy)
		}
	}
	if len(policies) != 2 {
		t.Errorf("got %d policies of topics, want 2", len(policies))
	}
}

// TestEmailFor checks that alarmEmail gets all alarms. If pageEmail is set, pageEmail gets the critical alarms instead.
func TestEmailFor(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ given, critical, warning string }{
		{"", "", ""}, {"all", "all", "all"},
	} {
		p := platform{settings: settings{AlarmEmail: c.given}}
		if got := [2]string{p.emailFor(critical), p.emailFor(warning)}; got != [2]string{c.critical, c.warning} {
			t.Errorf("alarmEmail=%s: got %v, want %v", c.given, got, c)
		}
		p.PageEmail = "pager"
		if got := [2]string{p.emailFor(critical), p.emailFor(warning)}; got != [2]string{"pager", c.warning} {
			t.Errorf("alarmEmail=%s and pageEmail: got %v, want pager and %s", c.given, got, c.warning)
		}
	}
}
