package checker

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// errorRows is the table of contract §3.3 (and §2.2, §2.8), as far as it is built: method, path, status, error_code,
// then the slugs.
const errorRows = `
POST   /v0.1/checkouts        400 MISSING                     invalid-parameter
POST   /v0.1/checkouts        400 INVALID                     invalid-parameter multiple-invalid-parameters
POST   /v0.1/checkouts        400 INVALID                     payment-method-not-allowed unknown-payment-method
POST   /v0.1/checkouts        400 INVALID_REQUEST             bad-request
POST   /v0.1/checkouts        401 NOT_AUTHORIZED              missing-token invalid-token
POST   /v0.1/checkouts        401 NOT_AUTHORIZED              not-authorised-token unauthorized
POST   /v0.1/checkouts        403 FORBIDDEN                   forbidden request-blocked https-required
POST   /v0.1/checkouts        409 DUPLICATED_CHECKOUT         conflict
POST   /v0.1/checkouts        409 IDEMPOTENCY_IN_PROGRESS     idempotency-in-progress
POST   /v0.1/checkouts        413 INVALID_REQUEST             content-too-large
POST   /v0.1/checkouts        415 INVALID_REQUEST             unsupported-media-type
POST   /v0.1/checkouts        422 IDEMPOTENCY_KEY_REUSED      idempotency-key-reused
POST   /v0.1/checkouts        429 TOO_MANY_REQUESTS           too-many-requests
POST   /v0.1/checkouts        500 INTERNAL_ERROR              internal-server-error
POST   /v0.1/checkouts        504 INTERNAL_ERROR              gateway-timeout
PUT    /v0.1/checkouts/{id}   402 INSTRUMENT_NOT_CHARGEABLE   instrument-not-chargeable
PUT    /v0.1/checkouts/{id}   404 NOT_FOUND                   checkout-not-found
PUT    /v0.1/checkouts/{id}   409 CHECKOUT_PROCESSED          session-already-processed
PUT    /v0.1/checkouts/{id}   409 CHECKOUT_SESSION_IS_EXPIRED session-expired
PUT    /v0.1/checkouts/{id}   409 CONFLICT                    conflict
PUT    /v0.1/checkouts/{id}   424 UPSTREAM_FAILED             upstream-failed
DELETE /v0.1/checkouts/{id}   409 CHECKOUT_PROCESSED          session-already-processed session-cant-be-deactivated
PATCH  /v0.1/checkouts/{id}   409 CHECKOUT_PROCESSED          session-already-processed
PATCH  /v0.1/checkouts/{id}   409 CHECKOUT_SESSION_IS_EXPIRED session-expired
PATCH  /v0.1/checkouts/{id}   409 DUPLICATED_CHECKOUT         conflict
PATCH  /v0.1/checkouts/{id}   409 CONFLICT                    conflict
POST   /v0.1/customers        409 CUSTOMER_ALREADY_EXISTS     conflict
GET    /v0.1/customers/c      404 NOT_FOUND                   not-found
PUT    /v0.1/customers/c      409 IDEMPOTENCY_IN_PROGRESS     idempotency-in-progress
POST   /v0.1/me/refund/t      400 INVALID                     invalid-parameter
POST   /v0.1/me/refund/t      404 NOT_FOUND                   not-found
POST   /v0.1/me/refund/t      409 CONFLICT                    conflict
POST   /v0.1/me/refund/t      409 NOT_ENOUGH_BALANCE          conflict
POST   /v0.1/me/refund/t      409 IDEMPOTENCY_IN_PROGRESS     idempotency-in-progress
POST   /v0.1/me/refund/t      422 IDEMPOTENCY_KEY_REUSED      idempotency-key-reused
POST   /v0.1/me/refund/t      424 UPSTREAM_FAILED             upstream-failed
POST   {refunds}              400 INVALID                     invalid-parameter
POST   {refunds}              404 NOT_FOUND                   not-found
POST   {refunds}              409 CONFLICT                    conflict
POST   {refunds}              409 NOT_ENOUGH_BALANCE          conflict
POST   {refunds}              422 INVALID_AMOUNT              unprocessable-entity
POST   {refunds}              422 IDEMPOTENCY_KEY_REUSED      idempotency-key-reused
POST   {refunds}              424 UPSTREAM_FAILED             upstream-failed
GET    {transactions}         400 INVALID                     invalid-parameter multiple-invalid-parameters
GET    {transactions}         404 NOT_FOUND                   not-found
GET    {transactions}/history 400 INVALID                     invalid-parameter
GET    {transactions}/history 404 NOT_FOUND                   not-found
GET    /v0.1/me/transactions  400 INVALID                     invalid-parameter
GET    /v0.1/me/transactions  404 NOT_FOUND                   not-found
GET    {settings}             404 NOT_FOUND                   not-found
PUT    {settings}             400 INVALID                     invalid-parameter
PUT    {settings}             409 merchant_account_missing    conflict
PUT    {settings}             409 CONFLICT                    conflict
PUT    {settings}             409 IDEMPOTENCY_IN_PROGRESS     idempotency-in-progress
GET    {operators}            400 INVALID                     invalid-parameter
POST   {operators}            400 MISSING                     invalid-parameter
POST   {operators}            409 merchant_account_missing    conflict
POST   {operators}            409 CONFLICT                    conflict
POST   {operators}            409 IDEMPOTENCY_IN_PROGRESS     idempotency-in-progress
GET    {operators}/1          404 NOT_FOUND                   not-found
PUT    {operators}/1          404 NOT_FOUND                   not-found
PUT    {operators}/1          409 CONFLICT                    conflict
DELETE {operators}/1          404 NOT_FOUND                   not-found
DELETE {operators}/1          409 CONFLICT                    conflict
POST   {operators}/1/disable  404 NOT_FOUND                   not-found
POST   {operators}/1/disable  409 CONFLICT                    conflict
PUT    {operators}/1/reset    400 INVALID                     invalid-parameter
PUT    {operators}/1/reset    404 NOT_FOUND                   not-found
PUT    {operators}/1/reset    409 CONFLICT                    conflict
GET    /v1.1/receipts/r       400 MISSING                     invalid-parameter
GET    /v1.1/receipts/r       400 INVALID                     invalid-parameter
GET    /v1.1/receipts/r       404 NOT_FOUND                   not-found
`

// TestCheck_ErrorCodes checks that each error that the platform may give is accepted. The same error must be refused
// with another code, with another type, and without a code.
func TestCheck_ErrorCodes(t *testing.T) {
	t.Parallel()
	checker := sharedChecker(t)
	paths := strings.NewReplacer("/v0.1/checkouts/{id}", checkoutPath, "{refunds}", refundsPath,
		"{transactions}", transactionsPath, "{settings}", "/v0.1/me/merchant-profile/settings",
		"{operators}", "/v0.1/me/accounts")
	for line := range strings.Lines(strings.TrimSpace(errorRows)) {
		row := strings.Fields(line)
		path := paths.Replace(row[1])
		var status int
		if _, err := fmt.Sscan(row[2], &status); err != nil {
			t.Fatal(err)
		}
		for _, slug := range row[4:] {
			t.Run(strings.Join([]string{row[0], row[1], row[2], slug}, " "), func(t *testing.T) {
				t.Parallel()
				try := func(code, slug string) error {
					s := newSample(t, row[0], path, status, errorBody(t, status, code, slug))
					s.header("Retry-After", "1").header("WWW-Authenticate", "Bearer").header("Accept-Encoding", "gzip")
					return s.check(checker)
				}
				expect(t, try(row[3], slug), "")
				expect(t, try("TEAPOT", slug), "/error_code")
				expect(t, try(row[3], "teapot"), "/type")
				expect(t, try("", slug), "/error_code")
			})
		}
	}
}

// errorBody returns the hybrid object, with the additional fields of its status (contract §3.2).
func errorBody(t *testing.T, status int, code, slug string) string {
	t.Helper()
	body := map[string]any{
		"type":       "https://api.shop.example/problems/" + slug,
		"title":      "Title",
		"status":     status,
		"detail":     "Detail.",
		"instance":   "urn:uuid:9f2c1d7e-6a5b-4c3d-8e2f-1a0b9c8d7e6f",
		"error_code": code,
		"message":    "Message.",
		"trace_id":   "9f2c1d7e",
	}
	switch status {
	case 401:
		body["title"], body["detail"], body["error_message"] = "Unauthorized", "Unauthorized.", "invalid access token"
	case 403:
		body["error_message"], body["status_code"] = "request_not_allowed", "403"
	}
	if code == "INVALID_AMOUNT" {
		body["errors"] = []any{map[string]any{"code": code, "detail": "Detail.", "reason": "amount_too_low",
			"max_refundable_amount": 760, "min_refundable_amount": 100}}
	}
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestDocument_CallbackBody checks the fields of a callback, which contract §11.1 fixes.
func TestDocument_CallbackBody(t *testing.T) {
	t.Parallel()
	callback := loadDocument(t).Paths.Value("/v0.1/checkouts").Post.Callbacks["checkoutStatusChanged"].Value
	schema := callback.Value("{$request.body#/return_url}").Post.RequestBody.Value.Content["application/json"].Schema.Value
	const id = "4e425463-3e1b-431d-83fa-1e51c2925e99"
	for name, test := range map[string]struct {
		body map[string]any
		want string
	}{
		"as documented": {map[string]any{"event_type": "CHECKOUT_STATUS_CHANGED", "id": id, "status": "PAID"}, ""},
		"of before":     {map[string]any{"event_type": "CHECKOUT_STATUS_CHANGED", "id": id}, ""},
		"without id":    {map[string]any{"event_type": "CHECKOUT_STATUS_CHANGED"}, `"id" is missing`},
		"other event":   {map[string]any{"event_type": "PAID", "id": id}, "/event_type"},
		"other status":  {map[string]any{"event_type": "CHECKOUT_STATUS_CHANGED", "id": id, "status": "OPEN"}, "/status"},
		"another member": {map[string]any{"event_type": "CHECKOUT_STATUS_CHANGED", "id": id, "amount": 1},
			`"amount" is unsupported`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			expect(t, schema.VisitJSON(test.body, openapi3.DisableSchemaErrorDetails()), test.want)
		})
	}
}
