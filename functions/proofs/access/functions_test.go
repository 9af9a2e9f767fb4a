package access_test

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/lambdacontext"

	"github.com/cashwrap/cashwrap/functions"
	"github.com/cashwrap/cashwrap/functions/payoutrun"
	"github.com/cashwrap/cashwrap/localstack/aws/engines/enginetest"
	"github.com/cashwrap/cashwrap/localstack/harness/examples"
	"github.com/cashwrap/cashwrap/localstack/harness/golden"
	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/audit"
	"github.com/cashwrap/cashwrap/shared/bank/sandbox"
	"github.com/cashwrap/cashwrap/shared/store"
	"github.com/cashwrap/cashwrap/shared/terminal"
)

const accessFile = "../../access.json"

// TestAccess_AsRecorded records the calls of all functions in a large scenario. It checks that access.json gives each
// function exactly the rights that these calls need, and the companions of these rights. The world of every other test
// refuses calls without a right. A function needs some rights only after the reply to a write is lost. So the scenario
// loses such replies in each step where this adds a right. The test takes seconds.
func TestAccess_AsRecorded(t *testing.T) {
	enginetest.InMemory(t)
	t.Parallel()
	one := &everything{examples.New(t)}
	w := one.World
	w.Permits.Learning = *golden.Update
	w.GoLive()
	one.sendRequests()
	one.actAsPayers()
	test, live := one.newSales(one.Shop), one.newSales(one.NewLiveShop())
	test.moveMoney("test")
	live.moveMoney("live")
	live.settleByFile(live.payOut())
	test.payOut()
	test.listChanges()
	one.giveCommands()
	one.growShards()
	one.changeDueShards()
	one.recoverFromFaults()
	one.sellAtReaders()
	one.storeFiles()
	one.verifyAccounts()
	one.sendMails()
	one.manageClients()
	one.useApps()
	one.changeMembers()
	one.payAtStripe()
	live.deleteReserve()
	test.losePayoutEntries()
	one.proveInSegments()
	test.correctSettlement()
	one.loseObject()
	one.checkAudit()
	all := map[string][]string{}
	for _, f := range functions.All {
		all[f.Name] = w.Permits.Of(f.Name)
	}
	all["notices"] = append(all["notices"], all["polls"]...) // a notice resolves what a poll does
	all["payoutopen"] = append(all["payoutopen"], recordOpeningRights(t)...)
	for name, used := range all {
		for _, right := range used {
			all[name] = append(all[name], companions[right]...)
		}
		slices.Sort(all[name])
		all[name] = slices.Compact(all[name])
	}
	golden.Check(t, accessFile, golden.JSON(t, all))
}

// companions lists rights that come with another right, because the same code also uses them in cases outside the
// scenario.
var companions = map[string][]string{
	// Any write of a merchant's shards may be throttled. The function then records the throttling.
	"PutItem PAYABLE":    {"PutItem GROWTH"},
	"DeleteItem PAYABLE": {"PutItem GROWTH"},
	// A function that reads a checkout with an interrupted attempt records the attempt's outcome. A challenge opens a
	// session, and a payment may save the card.
	"PutItem CHECKOUT": {"PutItem SESSION", "UpdateItem CUSTOMER"},
	// A function that claims an Idempotency-Key reads the claim when the write's reply is lost.
	"PutItem IDEMPOTENCY": {"GetItem IDEMPOTENCY"},
	// A repeated deletion of a key reads whether the key is already deleted.
	"DeleteItem KEY": {"GetItem KEY"},
	// A function that reads the time of a key's last use may also record a new use, at most once an hour.
	"GetItem KEYUSE": {"PutItem KEYUSE"},
	// A change of rights made with a key can also be made with an access token.
	"ConditionCheckItem KEY": {"ConditionCheckItem TOKEN", "ConditionCheckItem CLIENT", "ConditionCheckItem GRANT",
		"ConditionCheckItem MEMBERS", "ConditionCheckItem ROLES"},
	// A comparison of many objects continues with a message.
	"ListBucketVersions objects": {"SendMessage files"},
	// A proof of a segment continues with a message. It reads an entry by key if the entry is stored elsewhere than its
	// subject's, and a file again if its object has no entry.
	"Scan table": {"SendMessage proofs", "BatchGetItem JOURNAL", "GetItem FILES"},
	// A line about an older payment makes the next night prove the payment again, and so does a line that posts an entry.
	"PutItem STATEMENT": {"UpdateItem PROVEN", "PutItem JOURNAL"},
	// A function that reads a client's tokens also reads a test profile's tokens.
	"BatchGetItem CLIENT": {"BatchGetItem TESTPROFILES"},
}

// kindsOfProofs are the kinds of items that belong to reconcile alone.
var kindsOfProofs = []string{string(store.KindStatement), string(store.KindProof),
	string(store.KindTenants), string(store.KindProven), string(store.KindClosing)}

// TestAccess_ForbiddenRights checks rules that hold for any record. A function that scans writes nothing but records of
// proofs; only reconcile also adds entries of settlements to the journal. No function changes the table itself. A
// family sends no messages to other functions, because events travel through the table.
func TestAccess_ForbiddenRights(t *testing.T) {
	t.Parallel()
	for _, f := range functions.All {
		access := f.Access()
		scans := slices.ContainsFunc(access.Table, func(r functions.Right) bool { return r.Action == "Scan" })
		for _, r := range access.Table {
			isOther := func(kind string) bool {
				posts := f.Name == "reconcile" && r.Action == "PutItem" && kind == string(store.KindJournal)
				return !posts && !slices.Contains(kindsOfProofs, kind)
			}
			if scans && r.Writes() && slices.ContainsFunc(r.Kinds, isOther) {
				t.Errorf("%s: got %+v, want no writes beside Scan but of %v", f.Name, r, kindsOfProofs)
			}
			if len(r.Kinds) == 0 && (r.Action != "Scan" || f.Name != "reconcile" && f.Name != "prove") {
				t.Errorf("%s: got %+v, want only Scan without kinds, and only for reconcile and prove", f.Name, r)
			}
			if !slices.Contains(itemActions, r.Action) {
				t.Errorf("%s: got %+v, want only %v", f.Name, r, itemActions)
			}
		}
		others := slices.DeleteFunc(access.Sends, func(q functions.Queue) bool { return f.Queue != nil && q == f.Queue.From })
		if f.HTTP != nil && len(others) > 0 {
			t.Errorf("%s: got queues %v that it sends to, want none but its own", f.Name, others)
		}
	}
}

// itemActions are the only actions that a role may have. BatchWriteItem is not among them, because it has no
// conditions.
var itemActions = []string{"GetItem", "BatchGetItem", "Query", "Scan", "PutItem", "UpdateItem", "DeleteItem",
	"ConditionCheckItem"}

// everything is a scenario with all kinds of events.
type everything struct{ *examples.Scenario }

// mustDo sends a request and fails the test on an answer of 500 or more.
func (e *everything) mustDo(r world.Request) world.Response {
	e.Helper()
	response := e.Do(r)
	if response.Status >= http.StatusInternalServerError {
		e.Fatalf("%s %s: got %d %s, want a status below 500", r.Method, r.Path, response.Status, response.Body)
	}
	return response
}

// sendRequests sends the requests of payers, all requests in the document, and requests that the document does not
// show. It sends the document's changes a second time, with an Idempotency-Key, except the changes by public
// operations. It also sends requests with access tokens.
func (e *everything) sendRequests() {
	for _, s := range examples.Actions {
		s.Prepare(e.Scenario)
		e.mustDo(s.Request(e.Scenario))
	}
	for _, s := range examples.EveryShown(e) {
		e.mustDo(examples.NewFixture(e.Shop).Request(s.Operation, s.Example))
		if s.Method != http.MethodGet && !s.Public {
			keyed := examples.NewFixture(e.Shop).Request(s.Operation, s.Example)
			keyed.IdempotencyKey = s.String()
			e.mustDo(keyed)
		}
	}
	for _, m := range examples.More {
		fix := examples.NewFixture(e.Shop)
		(&everything{fix.Scenario}).mustDo(m.Request(fix)) // with its merchant's key
	}
	e.sendByTokens()
	e.RunUntilIdle()
}

// sendByTokens sends each operation with two access tokens. The requests with an OAuth client's token are about missing
// things. The requests with a user's token are about a merchant that does not have this user as a member.
func (e *everything) sendByTokens() {
	e.Helper()
	fix := examples.NewFixture(e.Shop)
	for token, merchant := range map[string]string{e.Token(): e.Merchant.Code, e.TokenOf(e.Owner()): fix.Merchant.Code} {
		for _, o := range examples.All(e) {
			if o.Public {
				continue
			}
			e.mustDo(world.Request{Method: o.Method, Path: examples.PathOf(o, func(value string) string {
				if value == "MC0A1B2C3D" {
					return merchant
				}
				return value
			}), APIKey: token})
		}
	}
}

// checkAudit checks that each audit entry has its actor, operation and request.
func (e *everything) checkAudit() {
	_, table := e.App.Store.Raw()
	var entries []audit.Entry
	if err := table.Scan().Filter("begins_with(pk, ?)", "AUDIT#").All(e.Context(), &entries); err != nil {
		e.Fatal(err)
	}
	kinds := map[audit.Kind]int{}
	for _, entry := range entries {
		kinds[entry.Actor.Kind]++
		if entry.Operation == "" || entry.Actor.Request == "" {
			e.Errorf("got %+v, want its operation and its request", entry)
		}
	}
	for kind, n := range kinds {
		if !slices.Contains([]audit.Kind{audit.APIKey, audit.Member, audit.Client, audit.Command, audit.Sweep,
			audit.Bank}, kind) {
			e.Errorf("got %d entries of actors %q, want none", n, kind)
		}
	}
	if len(kinds) < 4 {
		e.Errorf("got entries %v, want some of keys, commands, sweep and banks", kinds)
	}
}

// actAsPayers pays on a bank's page, deletes a saved card, and abandons a challenge.
func (e *everything) actAsPayers() {
	e.Open(nil)
	bank, err := url.Parse(e.mustDo(e.ByIDEAL()).Text("next_step.url"))
	if err != nil {
		e.Fatal(err)
	}
	e.mustDo(world.Request{Method: "GET", Path: bank.Path, APIKey: world.NoKey})
	if r := e.mustDo(world.Request{Method: "POST", Path: bank.Path, APIKey: world.NoKey, Body: url.Values{
		"decision": {"pay"}}}); r.Status >= 400 {
		e.Errorf("the bank's page: got %d %s, want a status below 400", r.Status, r.Body)
	}
	e.Clock.Advance(time.Duration((53+60-e.Clock.Now().Minute())%60) * time.Minute) // then the sweep reads hints
	e.Tick("sweep")
	e.SaveCard()
	e.mustDo(world.Request{Method: "DELETE",
		Path: "/v0.1/customers/" + e.CustomerID + "/payment-instruments/" + e.CardToken})
	e.Open(nil)
	e.StartChallenge("approve") // the payer never comes back
	e.Clock.Advance(time.Hour)
	e.PassMinute()
}

// giveCommands gives the commands that are not in the other steps.
func (e *everything) giveCommands() {
	e.NewShop("DE", "EUR", map[string]any{"email": "owner@shop.example", "mail_owner": true})
	b := examples.NewBoleto(e.World)
	e.Operate(map[string]any{"command": "pay_voucher", "merchant_code": b.Merchant.Code, "checkout_id": b.CheckoutID}, nil)
	if _, err := e.App.Virtual.Pair(e.Context(), terminal.Pairing{ID: "rdr_any", Code: "A1B2C3D4",
		Tenant: "T#" + b.Merchant.Code, Until: e.Clock.Now().Add(time.Minute)}); err != nil {
		e.Fatal(err)
	}
	e.Operate(map[string]any{"command": "set_reader_offline", "merchant_code": b.Merchant.Code, "mode": "test",
		"reader_id": "rdr_any", "offline": true}, nil)
	var made struct {
		APIKey struct{ ID, Plaintext string } `json:"api_key"`
	}
	e.Operate(map[string]any{"command": "create_api_key", "merchant_code": e.Merchant.Code, "name": "sales",
		"scopes": []string{}}, &made)
	e.Secret("API key", made.APIKey.Plaintext)
	e.Operate(map[string]any{"command": "revoke_api_key", "merchant_code": e.Merchant.Code, "mode": "test",
		"key_id": made.APIKey.ID}, nil)
	e.Operate(map[string]any{"command": "update_merchant", "merchant_code": e.Merchant.Code,
		"name": "Kaffeehaus am Markt"}, nil)
	e.Operate(map[string]any{"command": "update_account", "merchant_code": e.Merchant.Code,
		"account": map[string]any{"alias": "Markt"}}, nil)
	e.Operate(map[string]any{"command": "list_audit", "merchant_code": e.Merchant.Code}, nil)
	e.RotateSecret()
	e.Operate(map[string]any{"command": "show_callback", "id": e.Receiver.Deliveries()[0].ID}, nil)
	e.Operate(map[string]any{"command": "replay_callbacks", "merchant_code": e.Merchant.Code}, nil)
}

// growShards throttles shards, so that the sweep checks their load. A merchant whose shard is busy gets another shard.
func (e *everything) growShards() {
	var paid world.Payment
	for range 5 {
		paid = e.Sell("1")
	}
	e.LimitPartitions(1)
	e.Send("POST", "/v0.1/me/refund/"+paid.ID, nil)
	for _, shop := range []world.Shop{e.Shop, e.OtherShop()} {
		shop.Send("POST", "/v0.1/checkouts", shop.CheckoutBody("1"))
	}
	e.LimitPartitions(0)
	e.PassMinute()
}

// sales is a shop that takes payments and refunds them.
type sales struct{ world.Shop }

// newSales sets the shop's payout account. The shop's checkouts ask for no callbacks.
func (e *everything) newSales(s world.Shop) sales {
	s.Receiver = nil
	t := sales{s}
	t.SetPayout(map[string]any{"holder": "Markt", "iban": sandbox.PaidIBAN})
	return t
}

// moveMoney takes, refunds and charges back payments. reconcile runs while money is in flight.
func (t sales) moveMoney(mode string) {
	t.Helper()
	t.Sell("100")
	disputed := t.Sell("100")
	t.refundParts(t.Sell("100"))
	if found := t.Reconcile().Found; found != 0 {
		t.Errorf("got %d breaks, want none", found)
	}
	t.PassMinute() // the fast path polls the refund of unknown outcome
	t.refundParts(t.Sell("100"))
	t.Clock.Advance(time.Minute)
	t.PassMinute() // no poll was queued, so the sweep polls
	t.Operate(map[string]any{"command": "charge_back", "merchant_code": t.Merchant.Code, "mode": mode,
		"transaction": disputed.ID}, nil)
}

// refundParts refunds a part, and another part with an unknown outcome.
func (t sales) refundParts(p world.Payment) {
	t.Helper()
	t.Refund(p, "1")
	t.Refund(p, world.Unanswered)
}

// deleteReserve deletes the reserve for refunds in flight, so that reconcile checks twice. reconcile also finds that
// the sandbox, which simulates the acquirer, has no record of the operator's live chargeback.
func (t sales) deleteReserve() {
	t.Helper()
	t.refundParts(t.Sell("100"))
	_, table := t.App.Store.Raw()
	if err := table.Delete("pk", "RESERVE#L#"+t.Merchant.Code+"#EUR").Range("sk",
		"RESERVE").If("attribute_exists(pk)").Run(
		t.Context()); err != nil {
		t.Fatal(err)
	}
	if r := t.Reconcile(); r.Found != 2 {
		t.Errorf("got %+v, want 2 breaks", r.Breaks)
	}
}

// losePayoutEntries deletes the entries of payouts, so that reconcile reads the payouts again.
func (t sales) losePayoutEntries() {
	t.Helper()
	for id := range t.PayoutState(t.Merchant).Payouts {
		t.LoseEntries(id)
	}
	t.Reconcile()
}

// payOut lets the platform plan payouts after midnight, order them and poll the bank. It returns the last payout.
func (t sales) payOut() string {
	t.Helper()
	for _, wait := range []time.Duration{24 * time.Hour, 16 * time.Minute} {
		t.Clock.Advance(wait)
		t.RunPayouts()
	}
	var ran struct {
		Payouts []struct{ Payout string }
	}
	t.Sell("100")
	t.Clock.Advance(24 * time.Hour)
	t.Operate(map[string]any{"command": "run_payouts", "merchant_code": t.Merchant.Code}, &ran)
	if len(ran.Payouts) == 0 {
		t.Fatalf("got %+v, want at least one payout", ran)
	}
	return ran.Payouts[0].Payout
}

// listChanges lists the changes since the world's start, some of which payouts made.
func (t sales) listChanges() {
	t.Helper()
	path := "/v2.1/merchants/" + t.Merchant.Code + "/transactions/history?changes_since="
	t.Want("changes", http.StatusOK, t.Send("GET", path+world.Start.Format(time.RFC3339), nil))
}

// settleByFile exports live payouts to the bank in a file and records that the bank paid them. The function that
// records this runs out of time.
func (t sales) settleByFile(payout string) {
	t.Helper()
	t.Operate(map[string]any{"command": "export_payouts", "id": "file-1", "holder": "Cashwrap",
		"iban": "DE89370400440532013000",
		"bic":  "COBADEFF", "currency": "EUR"}, nil)
	t.Operate(map[string]any{"command": "settle_payout", "merchant_code": t.Merchant.Code, "payout": payout,
		"outcome": "paid"}, nil)
	t.Clock.Advance(time.Hour)
	t.RunPayouts()
	const tooShort = 5 * time.Second // to begin another step
	ctx, cancel := context.WithTimeout(lambdacontext.NewContext(t.Context(), &lambdacontext.LambdaContext{
		InvokedFunctionArn: "arn:aws:lambda:eu-central-1:000000000000:function:payoutrun"}), tooShort)
	defer cancel()
	if err := payoutrun.Run(t.App)(ctx, `{"tenant":"L#`+t.Merchant.Code+`","payout":"`+payout+`"}`); err != nil {
		t.Errorf("payoutrun: got error %v, want none", err)
	}
}
