package stripe_test

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

	"github.com/cashwrap/cashwrap/localstack/platform/clock"
)

// Amounts and cards that decide the course of a payment at the stand-in. The card numbers are those that Stripe has
// published for the same courses.
const (
	plainCard    = "4242424242424242"
	decliningOne = "4000000000000002"
	stolenOne    = "4000000000009979"
	askingCard   = "4000002760003184"
	refusedUnits = 4224 // answered with 400 (intents) or 401 (refunds)
	slowUnits    = 4225 // processing or pending until settle
	failingUnits = 4201 // failed refunds
)

// object is a JSON object of the API.
type object = map[string]any

// standIn is a small stand-in for Stripe, with only the shapes and faults that the tests need. It keeps the rules of
// idempotency keys and of the statuses of intents. It is safe for concurrent use.
type standIn struct {
	*clock.Clock
	page      int  // size of a page; 0: as requested
	remembers bool // keep the reason of a failure when the intent is cancelled

	mu      sync.Mutex
	made    int
	objects map[string]object // by id
	cards   map[string]string // numbers by payment method
	replies map[string]reply  // by idempotency key
	next    map[string]reply  // answers in place of the next ones, by operation
	events  []object
	lines   []object
	taken   []string // method, path and form of each request
}

type reply struct {
	form   string
	status int
	body   object
}

func newStandIn(c *clock.Clock) *standIn {
	return &standIn{Clock: c, objects: map[string]object{}, cards: map[string]string{}, replies: map[string]reply{},
		next: map[string]reply{}}
}

// RoundTrip implements http.RoundTripper.
func (s *standIn) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	answer := httptest.NewRecorder()
	s.ServeHTTP(answer, r)
	return answer.Result(), nil
}

// ServeHTTP implements http.Handler.
func (s *standIn) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	status, body := s.handle(r)
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

func (s *standIn) handle(r *http.Request) (int, object) {
	if err := r.ParseForm(); err != nil {
		return http.StatusInternalServerError, nil
	}
	form, key := r.Form, r.Header.Get("Idempotency-Key")
	s.taken = append(s.taken, r.Method+" "+r.URL.Path+" "+form.Encode())
	if r.Header.Get("Authorization") != "Bearer sk_test_key" {
		return refuse(http.StatusUnauthorized, "invalid_request_error", "")
	}
	if instead, ok := s.next[operation(r)]; ok {
		delete(s.next, operation(r))
		return instead.status, instead.body
	}
	if before, ok := s.replies[key]; ok && key != "" {
		if before.form != r.URL.Path+form.Encode() {
			return refuse(http.StatusBadRequest, "idempotency_error", "")
		}
		return before.status, before.body
	}
	status, body := s.route(r, strings.Split(strings.TrimPrefix(r.URL.Path, "/v1/"), "/"), form)
	if key != "" {
		s.replies[key] = reply{r.URL.Path + form.Encode(), status, body}
	}
	return status, body
}

// operation returns the method and the kind of object or action of a request, such as "POST confirm".
func operation(r *http.Request) string {
	path := strings.Split(strings.TrimPrefix(r.URL.Path, "/v1/"), "/")
	if len(path) == 3 {
		return r.Method + " " + path[2]
	}
	return r.Method + " " + path[0]
}

func (s *standIn) route(r *http.Request, path []string, form url.Values) (int, object) {
	if len(path) == 1 && r.Method == http.MethodGet {
		return s.list(path[0], form)
	}
	if len(path) == 1 {
		return s.create(path[0], form)
	}
	o := s.objects[path[1]]
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

func refuse(status int, kind, code string) (int, object) {
	return status, object{"error": object{"type": kind, "code": code, "message": "Adamantia Payerson " + plainCard}}
}

// expand returns a copy of the object, in which the listed ids are replaced by their objects.
func (s *standIn) expand(o object, fields []string, prefix string) object {
	shown := maps.Clone(o)
	for _, field := range fields {
		name := strings.TrimPrefix(field, prefix)
		if id, ok := shown[name].(string); ok && s.objects[id] != nil {
			shown[name] = s.expand(s.objects[id], nil, "")
		}
	}
	return shown
}

func (s *standIn) newObject(prefix, kind string, more object) object {
	s.made++
	o := object{"id": fmt.Sprintf("%s_%06d", prefix, s.made), "object": kind, "created": s.Now().Unix()}
	maps.Copy(o, more)
	s.objects[o["id"].(string)] = o
	return o
}

// metadata returns the metadata of a request.
func metadata(form url.Values) object {
	of := object{}
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

func (s *standIn) create(kind string, form url.Values) (int, object) {
	units, _ := strconv.ParseInt(form.Get("amount"), 10, 64)
	switch kind {
	case "customers":
		return http.StatusOK, s.newObject("cus", "customer", object{"metadata": metadata(form)})
	case "payment_methods":
		number := form.Get("card[number]")
		if form.Has("card[token]") {
			number = plainCard
		}
		o := s.newObject("pm", "payment_method", object{"type": form.Get("type"), "customer": nil})
		if number != "" {
			o["card"] = object{"brand": "visa", "last4": number[len(number)-4:], "exp_month": 12, "exp_year": 2030}
			s.cards[o["id"].(string)] = number
		}
		return http.StatusOK, o
	case "refunds":
		return s.refund(units, form)
	}
	if units == refusedUnits {
		return refuse(http.StatusBadRequest, "invalid_request_error", "parameter_invalid_integer")
	}
	more := object{"status": "requires_confirmation", "amount": units, "currency": form.Get("currency"),
		"payment_method": form.Get("payment_method"), "customer": orNil(form.Get("customer")),
		"capture_method": form.Get("capture_method"), "keeps": form.Get("setup_future_usage") + form.Get("usage"),
		"metadata": metadata(form), "type": form.Get("payment_method_types[]")}
	if kind == "setup_intents" {
		return http.StatusOK, s.newObject("seti", "setup_intent", more)
	}
	return http.StatusOK, s.newObject("pi", "payment_intent", more)
}

func (s *standIn) confirm(o object, form url.Values) (int, object) {
	if o["status"] != "requires_confirmation" {
		return refuse(http.StatusBadRequest, "invalid_request_error", o["object"].(string)+"_unexpected_state")
	}
	page := object{"url": "https://hooks.stripe.example/redirect/" + o["id"].(string)}
	until := s.Now().Unix() + 86400
	number := s.cards[o["payment_method"].(string)]
	switch kind := o["type"]; {
	case o["amount"] == int64(slowUnits):
		o["status"] = "processing"
	case kind == "boleto":
		o["status"], o["next_action"] = "requires_action", object{"type": "boleto_display_details",
			"boleto_display_details": object{"number": "23793.38128 60000.000003", "expires_at": until}}
	case kind == "pix":
		o["status"], o["next_action"] = "requires_action", object{"type": "pix_display_qr_code",
			"pix_display_qr_code": object{"data": "00020101", "expires_at": until}}
	case kind != "card", number == askingCard && form.Get("off_session") == "":
		o["status"], o["next_action"] = "requires_action", object{"type": "redirect_to_url", "redirect_to_url": page}
	case number == decliningOne:
		return s.decline(o, object{"type": "card_error", "code": "card_declined", "decline_code": "insufficient_funds"})
	case number == stolenOne:
		return s.decline(o, object{"type": "card_error", "code": "card_declined", "decline_code": "stolen_card",
			"advice_code": "do_not_try_again"})
	default:
		s.succeed(o, nil)
	}
	return http.StatusOK, s.expand(o, form["expand[]"], "")
}

// decline fails the intent and returns the answer with the error.
func (s *standIn) decline(o, reason object) (int, object) {
	o["status"], o["last_payment_error"], o["next_action"] = "requires_payment_method", reason, nil
	s.emit("payment_intent.payment_failed", o)
	return http.StatusPaymentRequired, object{"error": reason}
}

// succeed captures or holds the intent's amount.
func (s *standIn) succeed(o object, threeDS any) {
	details := object{"network_transaction_id": "104557651805572", "authorization_code": "123456",
		"three_d_secure": threeDS}
	if card, ok := s.objects[o["payment_method"].(string)]["card"].(object); ok && o["object"] == "payment_intent" {
		maps.Copy(details, card)
	}
	o["next_action"], o["status"] = nil, "succeeded"
	if o["keeps"] != "" && o["customer"] != nil {
		s.objects[o["payment_method"].(string)]["customer"] = o["customer"]
	}
	charge := s.newObject("ch", "charge", object{"status": "succeeded", "amount": o["amount"], "currency": o["currency"],
		"metadata": o["metadata"], "payment_intent": o["id"]})
	if o["type"] == "card" {
		charge["payment_method_details"] = object{"card": details}
	}
	o[map[any]string{"payment_intent": "latest_charge", "setup_intent": "latest_attempt"}[o["object"]]] = charge["id"]
	if o["capture_method"] == "manual" {
		o["status"] = "requires_capture"
	} else if o["object"] == "payment_intent" {
		s.book("charge", charge, o["amount"].(int64))
	}
	s.emit(o["object"].(string)+".succeeded", o)
}

func (s *standIn) book(kind string, source object, units int64) {
	s.lines = append(s.lines, s.newObject("txn", "balance_transaction", object{"type": kind, "amount": units,
		"source": source["id"]}))
}

func (s *standIn) emit(kind string, o object) {
	s.events = append(s.events, s.newObject("evt", "event", object{"type": kind, "data": object{"object": maps.Clone(o)}}))
}

// cancel cancels an intent. Stripe may forget the reason of an earlier failure.
func (s *standIn) cancel(o object, form url.Values) (int, object) {
	if o["status"] == "succeeded" || o["status"] == "processing" || o["status"] == "canceled" {
		return refuse(http.StatusBadRequest, "invalid_request_error", o["object"].(string)+"_unexpected_state")
	}
	o["status"], o["next_action"] = "canceled", nil
	if !s.remembers {
		o["last_payment_error"] = nil
	}
	s.emit(o["object"].(string)+".canceled", o)
	return http.StatusOK, s.expand(o, form["expand[]"], "")
}

func (s *standIn) refund(units int64, form url.Values) (int, object) {
	o := s.objects[form.Get("payment_intent")]
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
	made := s.newObject("re", "refund", object{"status": status, "amount": units, "currency": o["currency"],
		"metadata": metadata(form), "payment_intent": o["id"], "charge": charge})
	if status == "succeeded" {
		s.book("refund", made, -units)
	}
	return http.StatusOK, maps.Clone(made)
}

func (s *standIn) refundsOf(intent string) []object {
	var found []object
	for _, o := range s.objects {
		if o["object"] == "refund" && o["payment_intent"] == intent {
			found = append(found, o)
		}
	}
	return found
}

// list returns a page of a list, with the newest object first.
func (s *standIn) list(kind string, form url.Values) (int, object) {
	all := map[string][]object{"events": s.events, "balance_transactions": s.lines,
		"refunds": s.refundsOf(form.Get("payment_intent"))}[kind]
	since, _ := strconv.ParseInt(form.Get("created[gte]"), 10, 64)
	after := form.Get("starting_after")
	found := []object{}
	for _, o := range all {
		typed := !form.Has("types[]") || slices.Contains(form["types[]"], o["type"].(string))
		if typed && o["created"].(int64) >= since && (after == "" || o["id"].(string) < after) {
			found = append(found, s.expand(o, form["expand[]"], "data."))
		}
	}
	slices.SortFunc(found, func(a, b object) int { return strings.Compare(b["id"].(string), a["id"].(string)) })
	limit, _ := strconv.Atoi(form.Get("limit"))
	if s.page > 0 {
		limit = s.page
	}
	return http.StatusOK, object{"data": found[:min(limit, len(found))], "has_more": len(found) > limit}
}
