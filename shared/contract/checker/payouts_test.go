package checker

import "testing"

const (
	payoutsPath = "/v1.0/merchants/MC1/payouts"
	myPayouts   = "/v0.1/me/financials/payouts"
	february    = "?start_date=2020-02-01&end_date=2020-02-29"
	csvType     = "text/plain;charset=UTF-8"
)

func TestCheck_PayoutsAccepted(t *testing.T) {
	t.Parallel()
	checker := sharedChecker(t)
	link := `<https://api.shop.example/v1.0/merchants/MC1/payouts>; rel="successor-version"`
	faults := `[{"message":"m","error_code":"MISSING","param":"start_date"},{"message":"negative date range",` +
		`"error_code":"INVALID"}]`
	header := "id,type,amount,date,currency,fee,status,reference,transaction_code\n"
	quoted := header + `1,PAYOUT,9.9,2020-03-01,EUR,0,FAILED,"Shop, ""1""",T1A2B3C4D5` + "\r\n"
	carried := `[{"id":1,"type":"BALANCE_DEDUCTION","amount":9.9,"date":"2020-03-01","currency":"EUR",` +
		`"fee":0,"status":"SUCCESSFUL",` +
		`"reference":"PO-1","transaction_code":""}]`
	for name, s := range map[string]*sample{
		"carried":      newSample(t, "GET", payoutsPath+february, 200, carried),
		"CSV, carried": newCSV(t, header+"1,BALANCE_DEDUCTION,9.90,2020-03-01,EUR,0.00,SUCCESSFUL,PO-1,\n"),
		"JSON":         newSample(t, "GET", payoutsPath+february+"&format=json&limit=9999&order=desc", 200, "Payouts"),
		"none":         newSample(t, "GET", payoutsPath+february, 200, "[]"),
		"CSV": newSample(t, "GET", payoutsPath+february+"&format=csv", 200,
			"PayoutsCSV").header("Content-Type", csvType),
		"CSV, none":       newCSV(t, header),
		"CSV, quoted":     newCSV(t, quoted),
		"deprecated":      newSample(t, "GET", myPayouts+february, 200, "Payouts").deprecated().header("Link", link),
		"faults":          newSample(t, "GET", payoutsPath, 400, faults),
		"faults, problem": newSample(t, "GET", myPayouts, 400, faults).accept("application/problem+json"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			expect(t, s.check(checker), "")
		})
	}
}

// newCSV returns a sample with the text as its reply.
func newCSV(t *testing.T, text string) *sample {
	t.Helper()
	s := newSample(t, "GET", payoutsPath+february+"&format=csv", 200, "PayoutsCSV").header("Content-Type", csvType)
	s.resBody = text
	return s
}

func TestCheck_PayoutsRefused(t *testing.T) {
	t.Parallel()
	checker := sharedChecker(t)
	for name, test := range map[string]struct {
		sample *sample
		want   string
	}{
		"no start": {newSample(t, "GET", payoutsPath+"?end_date=2020-02-29", 200, "[]"), "accepted request"},
		"no end":   {newSample(t, "GET", payoutsPath+"?start_date=2020-02-29", 200, "[]"), "accepted request"},
		"time as date": {newSample(t, "GET", payoutsPath+"?start_date=2020-02-01T00:00:00Z&end_date=2020-02-29", 200,
			"[]"), "accepted request"},
		"limit 0":         {newSample(t, "GET", payoutsPath+february+"&limit=0", 200, "[]"), "accepted request"},
		"limit 10000":     {newSample(t, "GET", payoutsPath+february+"&limit=10000", 200, "[]"), "accepted request"},
		"history's order": {newSample(t, "GET", payoutsPath+february+"&order=descending", 200, "[]"), "accepted request"},
		"format":          {newSample(t, "GET", payoutsPath+february+"&format=xml", 200, "[]"), "accepted request"},
		"one fault":       {newSample(t, "GET", payoutsPath, 400, "MissingField"), "response body doesn't match"},
		"no faults":       {newSample(t, "GET", payoutsPath, 400, "[]"), "response body doesn't match"},
		"missing what": {newSample(t, "GET", payoutsPath, 400, `[{"message":"m","error_code":"MISSING"}]`),
			`schema from "anyOf"`},
		"hybrid fault": {newSample(t, "GET", payoutsPath, 400, `[{"message":"m","error_code":"INVALID","status":400}]`),
			`"status" is unsupported`},
		"fault's code": {newSample(t, "GET", payoutsPath, 400, `[{"message":"m","error_code":"NEGATIVE"}]`),
			"/error_code"},
		"no deprecation":     {newSample(t, "GET", myPayouts+february, 200, "[]"), `"Deprecation" missing`},
		"CSV, empty":         {newCSV(t, ""), "response body doesn't match"},
		"CSV, other columns": {newCSV(t, "id,type,amount\n"), "response body doesn't match"},
		"CSV as JSON": {newSample(t, "GET", payoutsPath+february, 200, "PayoutsCSV"),
			"not one JSON value"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			expect(t, test.sample.check(checker), test.want)
		})
	}
}

func TestCheck_PayoutFields(t *testing.T) {
	t.Parallel()
	checkRefusals(t, func(t *testing.T) *sample {
		return newSample(t, "GET", payoutsPath+february, 200, "Payouts")
	}, map[string]refusal{
		"wrapped":          {"[", `{"items":[`, "not one JSON value"},
		"unknown member":   {`"fee"`, `"net":1,"fee"`, `"net" is unsupported`},
		"fee missing":      {`,"fee":0.2`, "", `"fee" is missing`},
		"reference null":   {`"reference":"PO-20200301-1"`, `"reference":null`, "/reference"},
		"id as text":       {`"id":4403102878`, `"id":"4403102878"`, "/id"},
		"id of 54 bits":    {`"id":4403102878`, `"id":9007199254740992`, "/id"},
		"money as text":    {`"fee":0.2`, `"fee":"0.20"`, "/fee"},
		"below zero":       {`"amount":2.5`, `"amount":-2.5`, "/amount"},
		"date with time":   {`"date":"2020-03-01"`, `"date":"2020-03-01T00:00:00.000Z"`, "/date"},
		"event's status":   {`"status":"SUCCESSFUL"`, `"status":"PAID_OUT"`, "/status"},
		"event's type":     {"REFUND_DEDUCTION", "PAYOUT_DEDUCTION", `schema from "anyOf"`},
		"transaction's id": {`"T1A2B3C4D5"`, `"6f1d2c3b"`, `schema from "anyOf"`},
		"no transaction":   {`"T1A2B3C4D5"`, `""`, `schema from "anyOf"`},
		"carried, of one":  {"REFUND_DEDUCTION", "BALANCE_DEDUCTION", `schema from "anyOf"`},
	})
}

func TestCheck_PayoutLineFields(t *testing.T) {
	t.Parallel()
	checkRefusals(t, func(t *testing.T) *sample { return newCSV(t, exampleBody(t, "PayoutsCSV")) }, map[string]refusal{
		"type":           {"REFUND_DEDUCTION", "REFUND", "response body doesn't match"},
		"status":         {"SUCCESSFUL", "PAID_OUT", "response body doesn't match"},
		"exponent":       {"9.90", "9.9e0", "response body doesn't match"},
		"below zero":     {"2.50", "-2.50", "response body doesn't match"},
		"a comma within": {"PO-20200301-1", "PO,1", "response body doesn't match"},
		"no transaction": {"T1A2B3C4D5", "", "response body doesn't match"},
		"carried":        {"REFUND_DEDUCTION", "BALANCE_DEDUCTION", "response body doesn't match"},
		"unended":        {"T1A2B3C4D5\n", "T1A2B3C4D5", "response body doesn't match"},
	})
}
