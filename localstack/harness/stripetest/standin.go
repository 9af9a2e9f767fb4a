// Package stripetest has a small stand-in for Stripe, for tests. It also starts imitations of Stripe by others
// (StartLocalStripe, StartSeahaven).
package stripetest

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/cashwrap/cashwrap/localstack/platform/client"
)

// Amounts and cards that decide the course of a payment at the stand-in. The card numbers are those that Stripe has
// published for the same courses. Scenarios for the sandbox have the same course here, with its cards and amounts.
const (
	PlainCard     = "4242424242424242"
	DecliningCard = "4000000000000002"
	StolenCard    = "4000000000009979"
	AskingCard    = "4000002760003184"
	refusedUnits  = 4224 // answered with 400 (intents) or 401 (refunds)
	slowUnits     = 4225 // processing or pending until Settle
	failingUnits  = 4201 // failed refunds

	forbiddenUnits = 4243 // client.RefusedForGood
)

// Cards that Stripe declines, and imitations of Stripe by others, too.
const (
	UnfundedCard     = "4000000000009995" // at seahaven-stripe-world
	UnchargeableCard = "4000000000000341" // at localstripe
)

// Object is a JSON object of the API.
type Object = map[string]any

// StandIn answers like Stripe, with only the shapes and faults that the tests need. It keeps the rules of
// idempotency keys and of the statuses of intents. It is safe for concurrent use.
type StandIn struct {
	Clock
	Page         int           // size of a page; 0: as requested
	Remembers    bool          // keep the reason of a failure when the intent is cancelled
	Pays         bool          // pay out what is available before each list
	SettlesAfter time.Duration // approve pending charges and refunds of this age at the next request; 0: by Settle only

	mu      sync.Mutex
	made    int
	Objects map[string]Object // by id
	cards   map[string]string // numbers by payment method
	Replies map[string]Reply  // by idempotency key
	Next    map[string]Reply  // answers in place of the next ones, by operation
	events  []Object
	Lines   []Object
	Taken   []string // method, path and form of each request
	paidOn  map[any]time.Time
}

// Clock tells the time.
type Clock interface{ Now() time.Time }

// Reply is an answer to a request.
type Reply struct {
	Status int
	Body   Object

	form string
	at   time.Time
}

// keyTime is the time for which Stripe keeps idempotency keys.
const keyTime = 24 * time.Hour

// host is the host of the stand-in's pages for payers. No page of a test opens it.
const host = "hooks.stripe.example"

// Key is the secret key of the account.
const Key = "sk_test_key"

// New returns a stand-in without any objects.
func New(c Clock) *StandIn {
	return &StandIn{Clock: c, Objects: map[string]Object{}, cards: map[string]string{},
		Replies: map[string]Reply{}, Next: map[string]Reply{}, paidOn: map[any]time.Time{}}
}

// RoundTrip implements http.RoundTripper.
func (s *StandIn) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	answer := httptest.NewRecorder()
	s.ServeHTTP(answer, r)
	return answer.Result(), nil
}

// ServeHTTP implements http.Handler.
func (s *StandIn) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	status, body := s.handle(r)
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

func (s *StandIn) handle(r *http.Request) (int, Object) {
	if err := r.ParseForm(); err != nil {
		return http.StatusInternalServerError, nil
	}
	form, key := r.Form, r.Header.Get("Idempotency-Key")
	s.Taken = append(s.Taken, r.Method+" "+r.URL.Path+" "+form.Encode())
	if s.SettlesAfter > 0 {
		s.settleUntil(s.Now().Add(-s.SettlesAfter))
	}
	if r.Header.Get("Authorization") != "Bearer "+Key {
		return refuse(http.StatusUnauthorized, "invalid_request_error", "")
	}
	if instead, ok := s.Next[Operation(r)]; ok {
		delete(s.Next, Operation(r))
		return instead.Status, instead.Body
	}
	if before, ok := s.Replies[key]; ok && key != "" && s.Now().Sub(before.at) < keyTime {
		if before.form != r.URL.Path+form.Encode() {
			return refuse(http.StatusBadRequest, "idempotency_error", "")
		}
		return before.Status, before.Body
	}
	status, body := s.route(r, strings.Split(strings.TrimPrefix(r.URL.Path, "/v1/"), "/"), form)
	if key != "" {
		s.Replies[key] = Reply{status, body, r.URL.Path + form.Encode(), s.Now()}
	}
	return status, body
}

// Operation returns the method and the kind of object or action of a request, such as "POST confirm".
func Operation(r *http.Request) string {
	path := strings.Split(strings.TrimPrefix(r.URL.Path, "/v1/"), "/")
	if len(path) == 3 {
		return r.Method + " " + path[2]
	}
	return r.Method + " " + path[0]
}

func (s *StandIn) route(r *http.Request, path []string, form url.Values) (int, Object) {
	if len(path) == 1 && r.Method == http.MethodGet {
		return s.list(path[0], form)
	}
	if len(path) == 1 {
		return s.create(path[0], form)
	}
	o := s.Objects[path[1]]
	switch {
	case o == nil:
		return refuse(http.StatusNotFound, "invalid_request_error", "resource_missing")
	case len(path) == 3 && path[2] == "confirm":
		return s.confirm(o, form)
	case len(path) == 3 && path[2] == "cancel":
		return s.cancel(o, form)
	case len(path) == 3 && o["customer"] == nil:
		return refuse(http.StatusBadRequest, "invalid_request_error", "")
	case len(path) == 3: // detach
		o["customer"] = nil
	}
	return http.StatusOK, s.expand(o, form["expand[]"], "")
}

func refuse(status int, kind, code string) (int, Object) {
	return status, Object{"error": Object{"type": kind, "code": code, "message": "Adamantia Payerson " + PlainCard}}
}

// expand returns a copy of the object, in which the listed ids are replaced by their objects.
func (s *StandIn) expand(o Object, fields []string, prefix string) Object {
	shown := maps.Clone(o)
	for _, field := range fields {
		name := strings.TrimPrefix(field, prefix)
		if id, ok := shown[name].(string); ok && s.Objects[id] != nil {
			shown[name] = s.expand(s.Objects[id], nil, "")
		}
	}
	return shown
}

// NewObject stores an object of the kind. Its id begins with the prefix.
func (s *StandIn) NewObject(prefix, kind string, more Object) Object {
	s.made++
	o := Object{"id": fmt.Sprintf("%s_%024d", prefix, s.made), "object": kind, "created": s.Now().Unix()}
	maps.Copy(o, more)
	s.Objects[o["id"].(string)] = o
	return o
}

// metadata returns the metadata of a request.
func metadata(form url.Values) Object {
	of := Object{}
	for name := range form {
		if inner, ok := strings.CutPrefix(name, "metadata["); ok {
			of[strings.TrimSuffix(inner, "]")] = form.Get(name)
		}
	}
	return of
}

// orNil returns nil for an empty text.
func orNil(text string) any {
	if text == "" {
		return nil
	}
	return text
}

func (s *StandIn) create(kind string, form url.Values) (int, Object) {
	units, _ := strconv.ParseInt(form.Get("amount"), 10, 64)
	switch kind {
	case "customers":
		return http.StatusOK, s.NewObject("cus", "customer", Object{"metadata": metadata(form)})
	case "payment_methods":
		number := form.Get("card[number]")
		if form.Has("card[token]") {
			number = PlainCard
		}
		o := s.NewObject("pm", "payment_method", Object{"type": form.Get("type"), "customer": nil})
		if number != "" {
			o["card"] = Object{"brand": "visa", "last4": number[len(number)-4:], "exp_month": 12, "exp_year": 2030}
			s.cards[o["id"].(string)] = number
		}
		return http.StatusOK, o
	case "refunds":
		return s.refund(units, form)
	}
	if units == refusedUnits {
		return refuse(http.StatusBadRequest, "invalid_request_error", "parameter_invalid_integer")
	}
	more := Object{"status": "requires_confirmation", "amount": units, "currency": form.Get("currency"),
		"payment_method": form.Get("payment_method"), "customer": orNil(form.Get("customer")),
		"capture_method": form.Get("capture_method"), "keeps": form.Get("setup_future_usage") + form.Get("usage"),
		"metadata": metadata(form), "type": form.Get("payment_method_types[]")}
	if kind == "setup_intents" {
		return http.StatusOK, s.NewObject("seti", "setup_intent", more)
	}
	return http.StatusOK, s.NewObject("pi", "payment_intent", more)
}

func (s *StandIn) confirm(o Object, form url.Values) (int, Object) {
	if o["status"] != "requires_confirmation" {
		return refuse(http.StatusBadRequest, "invalid_request_error", o["object"].(string)+"_unexpected_state")
	}
	o["return_url"] = form.Get("return_url")
	page := Object{"url": "https://" + host + "/redirect/" + o["id"].(string)}
	until := s.Now().Unix() + 86400
	number := s.cards[o["payment_method"].(string)]
	switch kind := o["type"]; {
	case o["amount"] == int64(slowUnits):
		o["status"] = "processing"
	case kind == "boleto":
		o["status"], o["next_action"] = "requires_action", Object{"type": "boleto_display_details",
			"boleto_display_details": Object{"number": "23793.38128 60000.000003", "expires_at": until}}
	case kind == "pix":
		o["status"], o["next_action"] = "requires_action", Object{"type": "pix_display_qr_code",
			"pix_display_qr_code": Object{"data": "00020101", "expires_at": until}}
	case kind != "card", (number == AskingCard || number == client.Challenged) && form.Get("off_session") == "":
		o["status"], o["next_action"] = "requires_action", Object{"type": "redirect_to_url", "redirect_to_url": page}
	case number == DecliningCard:
		return s.decline(o, Object{"type": "card_error", "code": "card_declined", "decline_code": "insufficient_funds"})
	case number == StolenCard, o["amount"] == int64(forbiddenUnits):
		return s.decline(o, Object{"type": "card_error", "code": "card_declined", "decline_code": "stolen_card",
			"advice_code": "do_not_try_again"})
	default:
		s.succeed(o, nil)
	}
	return http.StatusOK, s.expand(o, form["expand[]"], "")
}

// decline fails the intent and returns the answer with the error.
func (s *StandIn) decline(o, reason Object) (int, Object) {
	o["status"], o["last_payment_error"], o["next_action"] = "requires_payment_method", reason, nil
	s.emit("payment_intent.payment_failed", o)
	return http.StatusPaymentRequired, Object{"error": reason}
}

// succeed captures or holds the intent's amount.
func (s *StandIn) succeed(o Object, threeDS any) {
	details := Object{"network_transaction_id": "104557651805572", "authorization_code": "123456",
		"three_d_secure": threeDS}
	if card, ok := s.Objects[o["payment_method"].(string)]["card"].(Object); ok && o["object"] == "payment_intent" {
		maps.Copy(details, card)
	}
	o["next_action"], o["status"] = nil, "succeeded"
	if o["keeps"] != "" && o["customer"] != nil {
		s.Objects[o["payment_method"].(string)]["customer"] = o["customer"]
	}
	charge := s.NewObject("ch", "charge", Object{"status": "succeeded", "amount": o["amount"], "currency": o["currency"],
		"metadata": o["metadata"], "payment_intent": o["id"]})
	if o["type"] == "card" {
		charge["payment_method_details"] = Object{"card": details}
	}
	o[map[any]string{"payment_intent": "latest_charge", "setup_intent": "latest_attempt"}[o["object"]]] = charge["id"]
	if o["capture_method"] == "manual" {
		o["status"] = "requires_capture"
	} else if o["object"] == "payment_intent" {
		s.Book("charge", charge, o["amount"].(int64))
	}
	s.emit(o["object"].(string)+".succeeded", o)
}

func (s *StandIn) emit(kind string, o Object) {
	s.events = append(s.events, s.NewObject("evt", "event", Object{"type": kind, "data": Object{"object": maps.Clone(o)}}))
}

// cancel cancels an intent. Stripe may forget the reason of an earlier failure.
func (s *StandIn) cancel(o Object, form url.Values) (int, Object) {
	if o["status"] == "succeeded" || o["status"] == "processing" || o["status"] == "canceled" {
		return refuse(http.StatusBadRequest, "invalid_request_error", o["object"].(string)+"_unexpected_state")
	}
	o["status"], o["next_action"] = "canceled", nil
	if !s.Remembers {
		o["last_payment_error"] = nil
	}
	s.emit(o["object"].(string)+".canceled", o)
	return http.StatusOK, s.expand(o, form["expand[]"], "")
}

func (s *StandIn) refund(units int64, form url.Values) (int, Object) {
	o := s.Objects[form.Get("payment_intent")]
	charge, _ := o["latest_charge"].(string)
	left, _ := o["amount"].(int64)
	for _, r := range s.refundsOf(form.Get("payment_intent")) {
		if r["status"] != "failed" {
			left -= r["amount"].(int64)
		}
	}
	switch {
	case units == refusedUnits:
		return refuse(http.StatusUnauthorized, "invalid_request_error", "")
	case charge == "" || o["status"] != "succeeded" || units > left:
		return refuse(http.StatusBadRequest, "invalid_request_error", "charge_already_refunded")
	}
	status := map[int64]string{slowUnits: "pending", failingUnits: "failed"}[units]
	if status == "" {
		status = "succeeded"
	}
	made := s.NewObject("re", "refund", Object{"status": status, "amount": units, "currency": o["currency"],
		"metadata": metadata(form), "payment_intent": o["id"], "charge": charge})
	if status == "succeeded" {
		s.Book("refund", made, -units)
	}
	return http.StatusOK, maps.Clone(made)
}

func (s *StandIn) refundsOf(intent string) []Object {
	var found []Object
	for _, o := range s.Objects {
		if o["object"] == "refund" && o["payment_intent"] == intent {
			found = append(found, o)
		}
	}
	return found
}

// list returns a page of a list, with the newest object first.
func (s *StandIn) list(kind string, form url.Values) (int, Object) {
	if s.Pays {
		s.PayOut()
	}
	all := map[string][]Object{"events": s.events, "balance_transactions": s.Lines,
		"refunds": s.refundsOf(form.Get("payment_intent"))}[kind]
	since, _ := strconv.ParseInt(form.Get("created[gte]"), 10, 64)
	after := form.Get("starting_after")
	found := []Object{}
	for _, o := range all {
		typed := !form.Has("types[]") || slices.Contains(form["types[]"], o["type"].(string))
		for _, field := range []string{"type", "payout"} {
			typed = typed && (!form.Has(field) || form.Get(field) == o[field])
		}
		if typed && o["created"].(int64) >= since && (after == "" || o["id"].(string) < after) {
			found = append(found, s.expand(o, form["expand[]"], "data."))
		}
	}
	slices.SortFunc(found, func(a, b Object) int { return strings.Compare(b["id"].(string), a["id"].(string)) })
	limit, _ := strconv.Atoi(form.Get("limit"))
	if s.Page > 0 {
		limit = s.Page
	}
	return http.StatusOK, Object{"data": found[:min(limit, len(found))], "has_more": len(found) > limit}
}
