package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/functions"
	"github.com/cashwrap/cashwrap/localstack/platform/client"
	"github.com/cashwrap/cashwrap/localstack/platform/demo"
)

type object = map[string]any

// runScenario creates a merchant, sells, and pays the merchant out. Reconciliation must find no break.
func (d *deployment) runScenario(ctx context.Context) error {
	d.say("Provision a merchant")
	var merchant struct {
		MerchantCode string                     `json:"merchant_code"`
		APIKey       struct{ Plaintext string } `json:"api_key"`
	}
	if err := d.invoke(ctx, "provision", object{"command": "create_merchant", "name": "Café",
		"email": "owner@cafe.example", "country": "DE", "currency": "EUR", "sandbox": true}, &merchant); err != nil {
		return err
	}
	if err := d.invoke(ctx, "provision", object{"command": "set_payout", "merchant_code": merchant.MerchantCode,
		"holder": "Café", "iban": "DE89370400440532013000"}, &object{}); err != nil {
		return err
	}
	api, err := url.Parse(d.baseURL)
	if err != nil {
		return err
	}
	emulator, err := url.Parse(d.endpoint)
	if err != nil {
		return err
	}
	shop := demo.Config{API: client.Client{BaseURL: d.baseURL, Transport: gateway{api.Host, emulator.Host}},
		Today: time.Now(), MerchantCode: merchant.MerchantCode, APIKey: merchant.APIKey.Plaintext, Operator: d.invokeRaw}
	steps := []func(context.Context, demo.Config) error{
		d.checkCommit, d.readDocs, d.sell, d.payOut, d.refuseNotice, d.invokeOthers, d.reconcile, d.checkLogs}
	for _, step := range steps {
		if err := step(ctx, shop); err != nil {
			return err
		}
	}
	return nil
}

func (d *deployment) invokeRaw(ctx context.Context, name string, payload json.RawMessage) (json.RawMessage, error) {
	var answer json.RawMessage
	err := d.invoke(ctx, name, payload, &answer)
	return answer, err
}

func (d *deployment) checkCommit(ctx context.Context, shop demo.Config) error {
	var health struct{ Status, Commit string }
	if err := fetchJSON(ctx, shop, "/healthz", &health); err != nil {
		return err
	}
	return checkEqual("health", health.Status+" "+health.Commit, "ok "+d.commit)
}

// link matches the links in Markdown, and script the scripts in HTML.
var (
	link   = regexp.MustCompile(`\]\((\S+?)\)`)
	script = regexp.MustCompile(`<script src="([^"]+)"`)
)

// readDocs reads the reference and the pages that /llms.txt lists, without a credential. Each link must lead to the
// deployment, and compressed answers must arrive readable.
func (d *deployment) readDocs(ctx context.Context, shop demo.Config) error {
	d.say("Read the documentation")
	shop.APIKey = ""
	reference, err := fetch(ctx, shop, "/docs")
	if err != nil {
		return err
	}
	index, err := fetch(ctx, shop, "/llms.txt")
	if err != nil {
		return err
	}
	pages := map[string]string{} // the text that each page must contain
	for _, found := range script.FindAllStringSubmatch(string(reference), -1) {
		pages[found[1]] = "Redoc"
	}
	for _, found := range link.FindAllStringSubmatch(string(index), -1) {
		path, own := strings.CutPrefix(found[1], d.baseURL)
		if !own {
			return fmt.Errorf("/llms.txt names %s, which is not below %s", found[1], d.baseURL)
		}
		pages[path] = "# "
	}
	const document = "/openapi.yaml"
	if len(pages) < 3 || pages[document] == "" {
		return fmt.Errorf("/docs and /llms.txt name only %v", slices.Sorted(maps.Keys(pages)))
	}
	pages[document] = "openapi: 3."
	for path, text := range pages {
		body, err := fetch(ctx, shop, path)
		if err != nil {
			return err
		}
		if !bytes.Contains(body, []byte(text)) {
			return fmt.Errorf("%s does not contain %q", path, text)
		}
	}
	return nil
}

func (d *deployment) sell(ctx context.Context, shop demo.Config) error {
	d.say("Run the demo at %s", d.baseURL)
	log, err := d.openLog("demo")
	if err != nil {
		return err
	}
	defer log.Close()
	shop.Out = log
	if err := demo.Run(ctx, shop); err != nil {
		return fmt.Errorf("%w, after\n%s", err, tail(log, 0))
	}
	return nil
}

// payOut pays out the sales, at a simulated time when the day of the sales is over in every time zone.
func (d *deployment) payOut(ctx context.Context, shop demo.Config) error {
	d.say("Pay the merchant out")
	today := time.Now().UTC()
	later := today.AddDate(0, 0, 2)
	var run struct {
		Payouts []struct {
			Status  string
			Records int
		}
		More bool
	}
	if err := d.invoke(ctx, "provision", object{"command": "run_payouts", "merchant_code": shop.MerchantCode,
		"at": later.Format(time.RFC3339)}, &run); err != nil {
		return err
	}
	if len(run.Payouts) != 1 || run.More || run.Payouts[0].Status != "PAID" || run.Payouts[0].Records == 0 {
		return fmt.Errorf("run_payouts answers %+v, want one payout that is PAID", run)
	}
	var records []record
	query := url.Values{"start_date": {today.AddDate(0, 0, -1).Format(time.DateOnly)},
		"end_date": {later.AddDate(0, 0, 1).Format(time.DateOnly)}} // the merchant's day may be ahead of UTC's
	if err := fetchJSON(ctx, shop, "/v1.0/merchants/"+shop.MerchantCode+"/payouts?"+query.Encode(), &records); err != nil {
		return err
	}
	if len(records) != run.Payouts[0].Records {
		return fmt.Errorf("the payout has %d records, but the list %d", run.Payouts[0].Records, len(records))
	}
	return checkPaidOut(ctx, shop, records)
}

type record struct {
	Type, Status    string
	TransactionCode string `json:"transaction_code"`
}

// checkPaidOut checks that all records' transactions show a payout, or else a refund (contract §6.5).
func checkPaidOut(ctx context.Context, shop demo.Config, records []record) error {
	statuses := map[string]int{}
	for _, r := range records {
		var t struct {
			SimpleStatus string `json:"simple_status"`
		}
		if err := fetchJSON(ctx, shop, "/v2.1/merchants/"+shop.MerchantCode+"/transactions?transaction_code="+
			r.TransactionCode, &t); err != nil {
			return err
		}
		if r.Status != "SUCCESSFUL" || t.SimpleStatus != "PAID_OUT" && t.SimpleStatus != "REFUNDED" {
			return fmt.Errorf("the list has %+v, but the transaction is %s", r, t.SimpleStatus)
		}
		statuses[t.SimpleStatus]++
	}
	if statuses["PAID_OUT"] == 0 {
		return fmt.Errorf("no transaction is PAID_OUT: %v", statuses)
	}
	return nil
}

// refuseNotice sends a notice that no acquirer has signed.
func (d *deployment) refuseNotice(ctx context.Context, shop demo.Config) error {
	d.say("Send a notice without a signature")
	answer, err := shop.API.Do(ctx, client.Request{Method: http.MethodPost, Path: "/acquirer/notices/test", Body: "{}"})
	if err != nil {
		return err
	}
	return checkEqual("a notice without a signature", answer.Status, http.StatusBadRequest)
}

// invokeOthers invokes the remaining functions with sample events (events/). No payout is due, and the ids are unknown.
func (d *deployment) invokeOthers(ctx context.Context, shop demo.Config) error {
	d.say("Invoke mails, polls, payoutplan, payoutopen and payoutrun with their sample events, and files with a message")
	for _, name := range []string{"mails", "polls", "payoutplan", "payoutopen", "payoutrun"} {
		sample, err := os.ReadFile(filepath.Join(d.root, "events", name+".json"))
		if err != nil {
			return err
		}
		event := strings.ReplaceAll(string(sample), "${MERCHANT_CODE}", shop.MerchantCode)
		if err := d.invokeBatch(ctx, name, event); err != nil {
			return err
		}
	}
	return d.invokeBatch(ctx, "files", unknownObject)
}

// unknownObject is a message for files. The sample event of files is a request.
const unknownObject = `{"Records":[{"messageId":"1","eventSource":"aws:sqs",` +
	`"body":"{\"object\":\"0123456789abcdef0123456789abcdef\"}"}]}`

// invokeBatch invokes a function with an event. No message of the event may fail.
func (d *deployment) invokeBatch(ctx context.Context, name, event string) error {
	var answer struct{ BatchItemFailures []any }
	if err := d.invoke(ctx, name, json.RawMessage(event), &answer); err != nil {
		return err
	}
	if len(answer.BatchItemFailures) > 0 {
		return fmt.Errorf("%s fails at %s", name, event)
	}
	return nil
}

// reconcile begins the first run of the schedule, and waits until the function prove has proven it. It checks that
// everything matches, and that there are transactions and payouts to match.
func (d *deployment) reconcile(ctx context.Context, _ demo.Config) error {
	d.say("Reconcile")
	var run struct {
		Proof  string
		Proven bool
		Report struct {
			Transactions, Payouts, Found int
			Breaks                       json.RawMessage
		}
	}
	if err := d.invoke(ctx, "reconcile", object{}, &run); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, proofLimit)
	defer cancel()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for !run.Proven {
		select {
		case <-ctx.Done():
			return fmt.Errorf("prove has not proven the run in %s", proofLimit)
		case <-tick.C:
		}
		if err := d.invoke(ctx, "reconcile", object{"proof": run.Proof}, &run); err != nil {
			return err
		}
	}
	if of := run.Report; of.Found != 0 || of.Transactions == 0 || of.Payouts == 0 {
		return fmt.Errorf("%d transactions, %d payouts and %d breaks: %s", of.Transactions, of.Payouts, of.Found, of.Breaks)
	}
	return nil
}

// proofLimit limits the wait for the proof of the whole table.
const proofLimit = 2 * time.Minute

func fetchJSON(ctx context.Context, shop demo.Config, path string, into any) error {
	body, err := fetch(ctx, shop, path)
	if err != nil {
		return err
	}
	return json.Unmarshal(body, into)
}

func fetch(ctx context.Context, shop demo.Config, path string) ([]byte, error) {
	response, err := shop.API.Do(ctx, client.Request{Method: http.MethodGet, Path: path, APIKey: shop.APIKey})
	if err != nil {
		return nil, err
	}
	if response.Status != http.StatusOK {
		return nil, fmt.Errorf("GET %s answers %d", path, response.Status)
	}
	return response.Body, nil
}

// scheduleLimit limits the wait for the first call by a schedule of every minute.
const scheduleLimit = 2 * time.Minute

// checkLogs checks that a schedule called sweep, that all functions were called, that lines have the commit, and that
// no line is an error.
func (d *deployment) checkLogs(ctx context.Context, _ demo.Config) error {
	d.say("Wait until the schedule has invoked sweep, a minute after it was created; read all logs")
	if err := d.awaitSweep(ctx); err != nil {
		return err
	}
	for _, f := range functions.All {
		lines, err := d.fetchLog(ctx, f.Name)
		if err != nil {
			return err
		}
		if len(lines) == 0 {
			return fmt.Errorf("%s was not called, or has no log", f.Name)
		}
		for _, line := range lines {
			if strings.HasPrefix(line, `{"time":`) && !strings.Contains(line, `"commit":"`+d.commit+`"`) {
				return fmt.Errorf("%s has logged a line without the commit %s: %s", f.Name, d.commit, line)
			}
			if strings.Contains(line, `"level":"ERROR"`) || strings.Contains(line, "panic: ") {
				return fmt.Errorf("%s has logged an error: %s", f.Name, line)
			}
		}
	}
	return nil
}

func (d *deployment) awaitSweep(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, scheduleLimit)
	defer cancel()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		lines, err := d.fetchLog(ctx, "sweep")
		if err != nil {
			return err
		}
		if len(lines) > 0 {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("sweep was not invoked within %s", scheduleLimit)
		}
	}
}

// fetchLog returns the lines of a function's log. Before the function's first call there are no lines.
func (d *deployment) fetchLog(ctx context.Context, name string) ([]string, error) {
	var lines []string
	for token := ""; ; {
		request := object{"logGroupName": "/aws/lambda/" + stack + "-" + name}
		if token != "" {
			request["nextToken"] = token
		}
		var page struct {
			Events    []struct{ Message string }
			NextToken string
		}
		if err := d.callOperation(ctx, "logs", "Logs_20140328.FilterLogEvents", request, &page); err != nil {
			return nil, err
		}
		for _, e := range page.Events {
			lines = append(lines, e.Message)
		}
		if token = page.NextToken; token == "" {
			return lines, nil
		}
	}
}
