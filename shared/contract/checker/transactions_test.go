package checker

import "testing"

const (
	refundsPath      = "/v1.0/merchants/MC1/payments/6f1d2c3b-4a59-4e87-9c6d-7b8a9f0e1d2c/refunds"
	transactionsPath = "/v2.1/merchants/MC1/transactions"
	historyPath      = transactionsPath + "/history"
	myTransactions   = "/v0.1/me/transactions"
)

// refusal replaces one text in a document's example. The error must contain want, the broken rule.
type refusal struct{ old, new, want string }

// checkRefusals tests each refusal on a fresh sample.
func checkRefusals(t *testing.T, fresh func(*testing.T) *sample, refusals map[string]refusal) {
	t.Helper()
	checker := sharedChecker(t)
	expect(t, fresh(t).check(checker), "")
	for name, r := range refusals {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := fresh(t)
			s.replace(t, r.old, r.new)
			expect(t, s.check(checker), r.want)
		})
	}
}

func TestCheck_TransactionsAccepted(t *testing.T) {
	t.Parallel()
	checker := sharedChecker(t)
	none := `{"items":[],"links":[]}`
	for name, s := range map[string]*sample{
		"refund, no body":   newSample(t, "POST", "/v0.1/me/refund/T1A2B3C4D5", 204, ""),
		"refund, no amount": newSample(t, "POST", "/v0.1/me/refund/T1A2B3C4D5", 204, "").body(`{"amount":null}`),
		"refund of a part":  newSample(t, "POST", "/v0.1/me/refund/T1A2B3C4D5", 204, "").body(`{"amount":"2.50"}`),
		"refund again": newSample(t, "POST", "/v0.1/me/refund/T1A2B3C4D5", 204,
			"").header("Idempotency-Replayed", "true"),
		"refund v1.0":            newSample(t, "POST", refundsPath, 201, "{}").body(`{"amount":2.5}`),
		"refund v1.0, no body":   newSample(t, "POST", refundsPath, 201, "{}"),
		"refund v1.0 too high":   newSample(t, "POST", refundsPath, 422, "RefundTooHigh").body(`{"amount":99}`),
		"refund without balance": newSample(t, "POST", refundsPath, 409, "NotEnoughBalance"),
		"detail":                 newSample(t, "GET", transactionsPath+"?id=x", 200, "Transaction"),
		"detail, pending":        newSample(t, "GET", transactionsPath+"?internal_id=5", 200, "PendingTransaction"),
		"legacy detail": newSample(t, "GET", myTransactions+"?id=x&event_types%5B%5D=REFUND,PAYOUT", 200,
			"LegacyTransaction").deprecated(),
		"history": newSample(t, "GET", historyPath, 200, "TransactionHistory"),
		"history, lists": newSample(t, "GET", historyPath+
			"?statuses[]=REFUNDED&statuses[]=PENDING&types%5B%5D=PAYMENT,REFUND&entry_modes[]=CHIP&users[]=a@b", 200, none),
		"history, other spellings": newSample(t, "GET", historyPath+
			"?statuses=FAILED&types[0]=REFUND&payment_types[][0]=ECOM", 200, none),
		"history, bounds": newSample(t, "GET", historyPath+
			"?limit=10000&order=descending&changes_since=2020-02-29T10:00:00Z&newest_ref=x", 200, none),
		"history, offset's plus": newSample(t, "GET", historyPath+
			"?oldest_time=2020-02-29T11:00:00+01:00&newest_time=2020-02-29T11:00:00.5%2B01:00", 200, none),
		"legacy history": newSample(t, "GET", myTransactions+
			"/history?geo_coordinates=13.1,-52,13.7,52.7&newest_incl=true&payment_types[]=BITCOIN", 200,
			"TransactionHistory").deprecated(),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			expect(t, s.check(checker), "")
		})
	}
}

func TestCheck_TransactionsRefused(t *testing.T) {
	t.Parallel()
	checker := sharedChecker(t)
	none := `{"items":[],"links":[]}`
	for name, test := range map[string]struct {
		sample *sample
		want   string
	}{
		"refund with a body":   {newSample(t, "POST", "/v0.1/me/refund/t", 204, "{}"), "has no body"},
		"refund v1.0, no body": {newSample(t, "POST", refundsPath, 201, ""), "content type"},
		"refund v1.0, more":    {newSample(t, "POST", refundsPath, 201, `{"id":"x"}`), `property "id" is unsupported`},
		"refund of words": {newSample(t, "POST", refundsPath, 201, "{}").body(`{"amount":"all"}`),
			"accepted request"},
		"status no client has": {newSample(t, "GET", historyPath+"?statuses[]=DONE", 200, none), "accepted request"},
		"legacy status": {newSample(t, "GET", myTransactions+"/history?statuses[]=REFUNDED", 200,
			none).deprecated(), "accepted request"},
		"no limit":         {newSample(t, "GET", historyPath+"?limit=0", 200, none), "accepted request"},
		"limit in words":   {newSample(t, "GET", historyPath+"?limit=ten", 200, none), "accepted request"},
		"order of payouts": {newSample(t, "GET", historyPath+"?order=asc", 200, none), "accepted request"},
		"a day as time": {newSample(t, "GET", historyPath+"?newest_time=2020-02-29", 200, none),
			"accepted request"},
		"half a box": {newSample(t, "GET", myTransactions+"/history?geo_coordinates=1,2", 200,
			none).deprecated(), "accepted request"},
		"legacy without headers": {newSample(t, "GET", myTransactions, 200, "LegacyTransaction"), `"Deprecation" missing`},
		"deprecated as a boolean": {newSample(t, "GET", myTransactions, 200,
			"LegacyTransaction").deprecated().header("Deprecation", "true"), `"Deprecation" doesn't match`},
		"link to nowhere": {newSample(t, "GET", myTransactions, 200, "LegacyTransaction").deprecated().header("Link",
			"</v2.1>"), `"Link" doesn't match`},
		"legacy form as v2.1": {newSample(t, "GET", transactionsPath+"?id=x", 200, "LegacyTransaction"),
			"response body doesn't match"},
		"v2.1 form as legacy": {newSample(t, "GET", myTransactions, 200, "Transaction").deprecated(), "/process_as"},
		"conflict of a read": {newSample(t, "GET", historyPath, 409, "NotEnoughBalance"),
			"status 409 is not documented"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			expect(t, test.sample.check(checker), test.want)
		})
	}
}

func TestCheck_RefundErrors(t *testing.T) {
	t.Parallel()
	checkRefusals(t, func(t *testing.T) *sample {
		return newSample(t, "POST", refundsPath, 422, "RefundTooHigh")
	}, map[string]refusal{
		"other code":   {`"code":"INVALID_AMOUNT"`, `"code":"INVALID"`, "/code"},
		"other reason": {"amount_too_high", "too_high", "/reason"},
		"major units":  {"760", "7.6", "/max_refundable_amount"},
		"text":         {"760", `"760"`, "/max_refundable_amount"},
		"no minimum":   {`,"min_refundable_amount":1`, "", `"min_refundable_amount" is missing`},
		"more":         {`"reason"`, `"currency":"EUR","reason"`, `"currency" is unsupported`},
		"code without why": {`"errors":[{"code":"INVALID_AMOUNT","detail":"The amount exceeds what is left to refund.",` +
			`"max_refundable_amount":760,"min_refundable_amount":1,"reason":"amount_too_high"}],`, "", `schema from "anyOf"`},
		"another's code": {`"error_code":"INVALID_AMOUNT"`, `"error_code":"IDEMPOTENCY_KEY_REUSED"`, `schema from "anyOf"`},
	})
}

func TestCheck_TransactionFields(t *testing.T) {
	t.Parallel()
	checkRefusals(t, func(t *testing.T) *sample {
		return newSample(t, "GET", transactionsPath+"?id=x", 200, "Transaction")
	}, map[string]refusal{
		"unknown member":         {`"username"`, `"customer_id":"c","username"`, `"customer_id" is unsupported`},
		"unknown event member":   {`"deducted_amount"`, `"refund_id":"x","deducted_amount"`, `"refund_id" is unsupported`},
		"unknown event's member": {`"due_date"`, `"receipt_no":"1","due_date"`, `"receipt_no" is unsupported`},
		"unknown card member":    {`"last_4_digits"`, `"expiry_year":"2030","last_4_digits"`, `"expiry_year" is unsupported`},
		"missing": {`"client_transaction_id":"0b7c1b9e-2f0d-4f0e-8f5a-5f8c1d2e3f40",`, "",
			`"client_transaction_id" is missing`},
		"null":                   {`"auth_code":"053201"`, `"auth_code":null`, "/auth_code"},
		"status REFUNDED":        {`"status":"SUCCESSFUL"`, `"status":"REFUNDED"`, "/status"},
		"simple_status PENDING":  {`"simple_status":"REFUNDED"`, `"simple_status":"PENDING"`, "/simple_status"},
		"simple_status missing":  {`"simple_status":"REFUNDED",`, "", `schema from "anyOf"`},
		"simple_status of other": {`"simple_status":"REFUNDED"`, `"simple_status":"CANCELLED"`, `schema from "anyOf"`},
		"payout to balance":      {`"BANK_ACCOUNT"`, `"BALANCE"`, "/payout_type"},
		"PIN in capitals": {`"verification_method":"none"`, `"verification_method":"online PIN"`,
			"/verification_method"},
		"card by hand":     {"CC_CUSTOMER_ENTERED", "MANUAL_ENTRY", "/simple_payment_type"},
		"payment type":     {`"payment_type":"ECOM"`, `"payment_type":"MOTO"`, "/payment_type"},
		"lower case":       {`"process_as":"CREDIT"`, `"process_as":"credit"`, "/process_as"},
		"money as text":    {`"max_amount":7.6`, `"max_amount":"7.6"`, "/max_amount"},
		"exponent":         {`"fee_amount":0.2`, `"fee_amount":2e-1`, "exponent"},
		"id as text":       {`"internal_id":4403102876`, `"internal_id":"4403102876"`, "/internal_id"},
		"id of 54 bits":    {`"internal_id":4403102876`, `"internal_id":9007199254740992`, "/internal_id"},
		"event id as text": {`"id":4403102877`, `"id":"4403102877"`, "/id"},
		"offset, not Z": {`"timestamp":"2020-02-29T10:57:12.000Z"`,
			`"timestamp":"2020-02-29T10:57:12.000+00:00"`, "/timestamp"},
		"local time in UTC": {`"local_time":"2020-02-29T11:57:12.000+01:00"`,
			`"local_time":"2020-02-29T10:57:12.000Z"`, "/local_time"},
		"offset without colon": {`12.000+01:00`, `12.000+0100`, "/local_time"},
		"date with time":       {`"due_date":"2020-03-01"`, `"due_date":"2020-03-01T00:00:00.000Z"`, "/due_date"},
		"event begun":          {`"status":"REFUNDED","timestamp"`, `"status":"BEGUN","timestamp"`, "/status"},
		"refund scheduled": {`"status":"REFUNDED","timestamp"`, `"status":"SCHEDULED","timestamp"`,
			`schema from "anyOf"`},
		"refund in instalments": {`"event_type":"REFUND"`, `"event_type":"REFUND","installment_number":1`,
			`schema from "anyOf"`},
		"link to another path": {"/refunds", "/refund", "/href"},
		"link without host":    {"http://localhost:8080/v1.0", "/v1.0", "/href"},
		"another link":         {`"rel":"refund"`, `"rel":"void"`, "/rel"},
		"link without bounds":  {`"max_amount":7.6,`, "", `"max_amount" is missing`},
	})
}

func TestCheck_PendingTransactionStatus(t *testing.T) {
	t.Parallel()
	checkRefusals(t, func(t *testing.T) *sample {
		return newSample(t, "GET", transactionsPath+"?id=x", 200, "PendingTransaction")
	}, map[string]refusal{
		"simple_status": {`"status":"PENDING"`, `"status":"PENDING","simple_status":"SUCCESSFUL"`, `schema from "anyOf"`},
		"refund link": {`"links":[]`, `"links":[{"rel":"refund",` +
			`"href":"https://a.example/v1.0/merchants/m/payments/t/refunds",` +
			`"type":"application/json","min_amount":1,"max_amount":2}]`, `schema from "anyOf"`},
	})
}

func TestCheck_LegacyTransactionFields(t *testing.T) {
	t.Parallel()
	checkRefusals(t, func(t *testing.T) *sample {
		return newSample(t, "GET", myTransactions+"?id=x", 200, "LegacyTransaction").deprecated()
	}, map[string]refusal{
		"upper case":    {`"process_as":"credit"`, `"process_as":"CREDIT"`, "/process_as"},
		"paid out":      {`"simple_status":"REFUNDED"`, `"simple_status":"PAID_OUT"`, "/simple_status"},
		"not collected": {`"simple_status":"REFUNDED"`, `"simple_status":"NON_COLLECTION"`, "/simple_status"},
		"deduction": {`"event_type":"REFUND","id":4403102877,"status":"REFUNDED"`,
			`"event_type":"PAYOUT_DEDUCTION","id":1,"status":"PENDING"`, "/event_type"},
		"sequence as integer": {`"entry_mode"`, `"elv_account":{"sequence_no":1},"entry_mode"`, "/sequence_no"},
	})
}

func TestCheck_HistoryFields(t *testing.T) {
	t.Parallel()
	checkRefusals(t, func(t *testing.T) *sample {
		return newSample(t, "GET", historyPath, 200, "TransactionHistory")
	}, map[string]refusal{
		"total":            {`"items"`, `"total_count":2,"items"`, `"total_count" is unsupported`},
		"unknown member":   {`"entry_mode"`, `"auth_code":"1","entry_mode"`, `"auth_code" is unsupported`},
		"no links":         {`"links"`, `"link"`, "is unsupported"},
		"user missing":     {`,"user":"till@shop.example"`, "", `"user" is missing`},
		"type":             {`"type":"PAYMENT"`, `"type":"PAYOUT"`, "/type"},
		"status":           {`"status":"SUCCESSFUL"`, `"status":"REFUNDED"`, "/status"},
		"card type":        {`"VISA"`, `"Visa"`, "/card_type"},
		"payout plan":      {"SINGLE_PAYMENT", "SINGLE", "/payout_plan"},
		"payout date":      {`"payout_date":"2020-03-01"`, `"payout_date":"2020-03-01T00:00:00Z"`, "/payout_date"},
		"money as text":    {`"refunded_amount":2.5`, `"refunded_amount":"2.50"`, "/refunded_amount"},
		"count as text":    {`"payouts_total":1`, `"payouts_total":"1"`, "/payouts_total"},
		"link with path":   {`"href":"limit`, `"href":"/v2.1?limit`, "/href"},
		"link with ?":      {`"href":"limit`, `"href":"?limit`, "/href"},
		"link not encoded": {"%5B%5D", "[]", "/href"},
		"link, no limit":   {"limit=2", "size=2", "/href"},
		"link, no order":   {"order=ascending", "order=asc", "/href"},
		"link, no ref":     {"oldest_ref", "after", "/href"},
		"link type":        {`"application/json"`, `"text/html"`, "/type"},
	})
}
