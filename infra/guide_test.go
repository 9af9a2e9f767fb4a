package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/functions"
	"github.com/cashwrap/cashwrap/shared/metric"
	"github.com/cashwrap/cashwrap/shared/store"
)

// readChapter returns the text of a chapter of the operating guide.
func readChapter(t *testing.T, title string) string {
	t.Helper()
	guide, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, found := strings.Cut(string(guide), "\n## "+title+"\n")
	if !found {
		t.Fatalf("got no chapter %q in the guide, want it", title)
	}
	text, _, _ = strings.Cut(text, "\n## ")
	return text
}

// explainedNames returns patterns for the names in the first cells of a chapter's table. `Queue<Name>Dead` matches
// every name of this form, and `Index<Name>…` every name with this beginning.
func explainedNames(text string) []*regexp.Regexp {
	var all []*regexp.Regexp
	for line := range strings.Lines(text) {
		cell, _, found := strings.Cut(strings.TrimPrefix(line, "| "), " | ")
		if !found || !strings.HasPrefix(cell, "`") {
			continue
		}
		for _, name := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cell, -1) {
			pattern := regexp.MustCompile(`<\w+>|…`).ReplaceAllString(name[1], `\w+`)
			all = append(all, regexp.MustCompile("^"+pattern+"$"))
		}
	}
	return all
}

// checkExplained fails unless each name has an explanation and each explanation a name.
func checkExplained(t *testing.T, what string, names []string, explanations []*regexp.Regexp) {
	t.Helper()
	for _, name := range names {
		if !slices.ContainsFunc(explanations, func(e *regexp.Regexp) bool { return e.MatchString(name) }) {
			t.Errorf("got explanations %v, want the %s %s explained", explanations, what, name)
		}
	}
	for _, e := range explanations {
		if !slices.ContainsFunc(names, e.MatchString) {
			t.Errorf("got the %s %s explained, want only those of %v", what, e, names)
		}
	}
}

// tableRows returns the cells of a chapter's table.
func tableRows(text string) (all [][]string) {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "| `") {
			cells := strings.Split(strings.Trim(line, "|"), " | ")
			for i := range cells {
				cells[i] = strings.TrimSpace(cells[i])
			}
			all = append(all, cells)
		}
	}
	return all
}

// TestGuide_ExplainsEachAlarm checks that the guide has each alarm's severity, meaning, first checks and remedy. A row
// with an alarm's full name takes precedence over a row with a pattern.
func TestGuide_ExplainsEachAlarm(t *testing.T) {
	t.Parallel()
	table := tableRows(readChapter(t, "Alarms"))
	severities := map[string]severity{}
	var names []string
	for _, r := range inDev(t).all(alarmKind) {
		name := strings.TrimPrefix(r.Properties["AlarmName"].(string), "cashwrap-dev-")
		names, severities[name] = append(names, name), severityIn(r)
	}
	checkExplained(t, "alarm", names, explainedNames(readChapter(t, "Alarms")))
	for name, of := range severities {
		row := rowOf(table, name)
		if len(row) != 5 || row[1] != string(of) || slices.Contains(row, "") {
			t.Errorf("got row %q of %s, want severity %s, meaning, what to check first and remedy", row, name, of)
		}
	}
}

// rowOf returns the row with the name, or else a row with a matching pattern.
func rowOf(table [][]string, name string) (found []string) {
	for _, row := range table {
		if strings.Contains(row[0], "`"+name+"`") {
			return row
		}
		is := func(e *regexp.Regexp) bool { return e.MatchString(name) }
		if found == nil && slices.ContainsFunc(explainedNames("| "+row[0]+" | "), is) {
			found = row
		}
	}
	return found
}

// TestGuide_ExplainsEachMetric checks that the guide has each metric of the functions and its unit.
func TestGuide_ExplainsEachMetric(t *testing.T) {
	t.Parallel()
	explained := map[string][]string{}
	for _, row := range tableRows(readChapter(t, "Metrics")) {
		explained[strings.Trim(row[0], "`")] = row[1:]
	}
	for _, m := range metric.All {
		byMode := map[bool]string{true: "yes", false: "no"}[m.ByMode]
		if row := explained[m.Name]; len(row) != 3 || row[0] != string(m.Unit) || row[1] != byMode || row[2] == "" {
			t.Errorf("%s: got row %q, want unit %s, by mode %s and an explanation", m.Name, row, m.Unit, byMode)
		}
		delete(explained, m.Name)
	}
	if len(explained) > 0 {
		t.Errorf("got %v explained, want only metrics that functions write", explained)
	}
}

// TestGuide_ExplainsEachBreak checks that the guide has one row for each kind of break that reconcile and files
// report.
func TestGuide_ExplainsEachBreak(t *testing.T) {
	t.Parallel()
	kinds := 0
	rows := map[string]int{}
	explanations := explainedNames(readChapter(t, "Reconcile"))
	for _, e := range explanations {
		if rows[e.String()]++; rows[e.String()] == 2 {
			t.Errorf("got %s explained twice, want once", e)
		}
	}
	for _, name := range []string{"../shared/reconcile/reconcile.go", "../shared/file/match.go"} {
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, kind := range regexp.MustCompile(`BreakKind += "(\w+)"`).FindAllStringSubmatch(string(source), -1) {
			kinds++
			if !slices.ContainsFunc(explanations, func(e *regexp.Regexp) bool { return e.MatchString(kind[1]) }) {
				t.Errorf("got no explanation of the break %s, want one", kind[1])
			}
		}
	}
	if kinds < 15 {
		t.Errorf("got %d kinds of breaks, want all", kinds)
	}
}

func TestGuide_ExplainsEachDeadLetterQueue(t *testing.T) {
	t.Parallel()
	var names []string
	for _, r := range inDev(t).all("AWS::SQS::Queue") {
		if name := strings.TrimPrefix(r.Properties["QueueName"].(string), "cashwrap-dev-"); strings.HasSuffix(name, "-dead") {
			names = append(names, name)
		}
	}
	checkExplained(t, "queue", names, explainedNames(readChapter(t, "Dead-letter queues")))
}

// TestGuide_RestoreCommands checks that the guide's commands set the same values as the template. Operators must set
// these values by hand, because a restore does not bring them back.
func TestGuide_RestoreCommands(t *testing.T) {
	t.Parallel()
	text := readChapter(t, "Restoring the table")
	var access []string
	for _, right := range (functions.Function{Name: "reconcile"}).Access().Table {
		if action := "dynamodb:" + right.Action; !slices.Contains(access, action) {
			access = append(access, action)
		}
	}
	for _, part := range []string{
		"AttributeName=" + store.TTLAttribute, fmt.Sprintf("RecoveryPeriodInDays=%d", recoveryDays),
		"StreamViewType=NEW_AND_OLD_IMAGES", "put-resource-policy",
		fmt.Sprintf("--batch-size %d", streamBatch), fmt.Sprintf("--parallelization-factor %d", streamCalls),
		fmt.Sprintf("--maximum-retry-attempts %d", streamRetries), "--bisect-batch-on-function-error",
		"--filter-criteria",
		`"Action":` + toJSON(access), "Key=application,Value=cashwrap Key=stage,Value=$STAGE",
	} {
		if !strings.Contains(text, part) {
			t.Errorf("got\n%s\nwant %s in it", text, part)
		}
	}
	shards := fmt.Sprintf("for shard in $(seq 0 %d); do", store.DefaultDueShards-1)
	if !strings.Contains(readChapter(t, "Payouts"), shards) {
		t.Errorf("got\n%s\nwant all shards in it: %s", readChapter(t, "Payouts"), shards)
	}
}

// TestGuide_StopsAndStartsConsumers checks that the guide disables each consumer before it stops the function.
// Otherwise the consumer would receive messages again and again, until they reach the dead-letter queue.
func TestGuide_StopsAndStartsConsumers(t *testing.T) {
	t.Parallel()
	var streams, queues []string
	for _, f := range functions.All {
		switch {
		case f.Stream != nil:
			streams = append(streams, f.Name)
		case f.Queue != nil:
			queues = append(queues, f.Name)
		}
	}
	text := readChapter(t, "Restoring the table")
	for _, names := range [][]string{slices.Concat(streams, queues), queues} {
		if want := "for f in " + strings.Join(names, " ") + "; do\n"; !strings.Contains(text, want) {
			t.Errorf("got\n%s\nwant %q in it", text, want)
		}
	}
}

// TestGuide_StopsOnlyThisStage checks that the commands do not select functions by the beginning of their names,
// because names in the stage dev-2 begin like names in dev.
func TestGuide_StopsOnlyThisStage(t *testing.T) {
	t.Parallel()
	text := readChapter(t, "Restoring the table")
	const all = `ALL=$(aws cloudformation list-stack-resources --stack-name cashwrap-$STAGE ` +
		`--query "StackResourceSummaries[?ResourceType=='AWS::Lambda::Function'].PhysicalResourceId"`
	if !strings.Contains(text, all) || strings.Contains(text, "starts_with") {
		t.Errorf("got\n%s\nwant %s in it, and no functions by the beginning of their names", text, all)
	}
	if got, want := len(inDev(t).all("AWS::Lambda::Function")), len(functions.All); got != want {
		t.Errorf("got %d functions in the stack, want the %d of ours, which are stopped", got, want)
	}
}

// quotedLogLine matches a log line in the guide: words in backticks. The pattern also matches commands.
var quotedLogLine = regexp.MustCompile("`([a-z]+(?: [a-z]+)+)`")

// TestGuide_LogLines checks that each quoted log line is in a string of the code.
func TestGuide_LogLines(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	lines := map[string]bool{}
	for _, words := range quotedLogLine.FindAllStringSubmatch(strings.Join(strings.Fields(string(guide)), " "), -1) {
		if command, _, _ := strings.Cut(words[1], " "); command != "make" && command != "cdk" {
			lines[words[1]] = false
		}
	}
	for _, root := range []string{"../functions", "../shared"} {
		if err = fs.WalkDir(os.DirFS(root), ".", func(name string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
				return err
			}
			source, err := os.ReadFile(filepath.Join(root, name))
			for line := range lines {
				written := regexp.MustCompile(`"[^"\n]*` + line + `[^"\n]*"`)
				lines[line] = lines[line] || written.Match(source)
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	for line, written := range lines {
		if !written {
			t.Errorf("got the log line %q quoted, want one that the code writes", line)
		}
	}
	if len(lines) < 10 {
		t.Errorf("got %d log lines quoted, want at least 10", len(lines))
	}
}

func TestGuide_NamesEachQueue(t *testing.T) {
	t.Parallel()
	text := readChapter(t, "First deployment")
	for _, q := range functions.Queues {
		if !strings.Contains(text, "-"+q.Name+"`") {
			t.Errorf("got\n%s\nwant the queue %s in it", text, q.Name)
		}
	}
}

func TestGuide_StageNames(t *testing.T) {
	t.Parallel()
	text := strings.Join(strings.Fields(readChapter(t, "First deployment")+readChapter(t, "Stages and settings")), " ")
	for _, want := range []string{fmt.Sprintf("at most %d lower-case letters, digits and hyphens", maxStage),
		"Only `prod` is protected", "prod requires `account` and `region`"} {
		if !strings.Contains(text, want) {
			t.Errorf("got\n%s\nwant %q in it", text, want)
		}
	}
}

// TestCost_AssumptionsMatchStack checks that the assumptions of `make cost` are true in prod.
func TestCost_AssumptionsMatchStack(t *testing.T) {
	t.Parallel()
	s, err := readTestSettings(map[string]any{"stage": prod, "account": "111122223333", "region": "eu-central-1"})
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("COST.md")
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"memory": fmt.Sprintf("%.2f", memory/1024.0), "memory.tick": fmt.Sprintf("%.2f", moreMemory/1024.0),
		"shards": fmt.Sprint(s.DueShards), "secrets": fmt.Sprint(len(inProd(t).all("AWS::SecretsManager::Secret"))),
		"quota.stage": fmt.Sprint(s.Rate), "callbackCalls": fmt.Sprint(s.Pollers * pollerCalls),
		"batch":  fmt.Sprint(batchOf(functions.Callbacks)),
		"alarms": fmt.Sprint(countAlarmMetrics(inProd(t))), "metrics": fmt.Sprint(countOwnMetrics()),
		"polled":     fmt.Sprint(countPolledQueues()),
		"log.months": fmt.Sprintf("%.2f", 400/30.0), // tested by TestAddLog_FormatAndRetention
	} {
		if !regexp.MustCompile(`\| ` + regexp.QuoteMeta(name) + ` \| [^|]+ \| ` + regexp.QuoteMeta(value) +
			` \|\n`).Match(text) {
			t.Errorf("got\n%s\nwant %s = %s in it", text, name, value)
		}
	}
}

// countAlarmMetrics counts the metrics of the alarms. AWS bills each metric, even if one alarm has two.
func countAlarmMetrics(s *synthesis) (all int) {
	for _, r := range s.all(alarmKind) {
		text, _ := alarmCondition(r)
		if all++; strings.Contains(text, "; whole = ") {
			all++
		}
	}
	return all
}

// countOwnMetrics counts the metrics that a stage's functions write. A metric that is written by mode counts twice.
func countOwnMetrics() int {
	all := len(metric.All)
	for _, m := range metric.All {
		if m.ByMode {
			all++
		}
	}
	return all
}

// countPolledQueues counts the queues that Lambda reads in prod without provisioned pollers.
func countPolledQueues() (queues int) {
	for _, f := range functions.All {
		if f.Queue != nil && !f.Queue.Prompt {
			queues++
		}
	}
	return queues
}

// batchOf returns the maximum number of the queue's messages per call.
func batchOf(q functions.Queue) int {
	for _, f := range functions.All {
		if f.Queue != nil && f.Queue.From == q {
			return f.Queue.Batch
		}
	}
	return 0
}

// TestGuide_KeysInCommands checks the keys in the guide's commands. The commands must spell kinds as the store does,
// and must cut the merchant out of a payout's key at the right place.
func TestGuide_KeysInCommands(t *testing.T) {
	t.Parallel()
	text := readChapter(t, "Payouts")
	for _, part := range []string{`{"S":"` + string(store.KindPayoutDue) + `#'$shard'"}`,
		"# " + string(store.KindPayout) + "#L#<merchant>#<id>\n", "cut -d'#' -f3"} {
		if !strings.Contains(text, part) {
			t.Errorf("got no %s in the guide's commands, want it", part)
		}
	}
}
