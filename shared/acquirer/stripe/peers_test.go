package stripe_test

import (
	"cmp"
	"context"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/aws/engines/enginetest"
	"github.com/cashwrap/cashwrap/localstack/harness/stripetest"
)

// TestLocalStripe charges at localstripe, which has no idempotency keys. CASHWRAP_PEER_CHARGES is the number of
// charges.
func TestLocalStripe(t *testing.T) {
	t.Parallel()
	enginetest.Only(t)
	peer := stripetest.StartLocalStripe(t)
	a := account{imitation: peer, cards: []string{plainCard, plainCard, plainCard, stripetest.UnchargeableCard,
		stripetest.AskingCard, "4000008260003178"}} // the last is challenged, and then declined
	charges, err := strconv.Atoi(cmp.Or(os.Getenv("CASHWRAP_PEER_CHARGES"), "1000"))
	if err != nil {
		t.Fatal(err)
	}
	a.playHistories(t, charges)
	a.findMutants(t)
	receiveNotice(t, peer)
	server := httptest.NewServer(stripetest.Serve(peer))
	defer server.Close()
	chargeAt(t, &stripetest.Remote{URL: server.URL, Key: stripetest.Key})
}

// TestSeahaven charges at seahaven-stripe-world, which checks parameters and has idempotency keys as Stripe does.
// Payers leave challenges, because it has no page for them.
func TestSeahaven(t *testing.T) {
	t.Parallel()
	peer, charges := stripetest.StartSeahaven(t)
	a := account{imitation: peer, cards: []string{plainCard, plainCard, plainCard, stripetest.UnfundedCard,
		"4000000000003220"}} // challenged
	a.playHistories(t, charges)
	a.findMutants(t)
}

// TestStripe charges at Stripe itself, in its test mode, with the key STRIPE_KEY (`make test-acquirer`). STRIPE_API is
// the address of another server instead. No payer answers a challenge, because that needs a browser.
func TestStripe(t *testing.T) {
	if os.Getenv("CASHWRAP_TESTS") != "stripe" {
		t.Skip("left to make test-acquirer")
	}
	key := os.Getenv("STRIPE_KEY")
	if !strings.HasPrefix(key, "sk_test_") && !strings.HasPrefix(key, "rk_test_") {
		t.Fatal("got no STRIPE_KEY, want a secret key of Stripe's test mode (sk_test_… or rk_test_…)")
	}
	chargeAt(t, &stripetest.Remote{URL: cmp.Or(os.Getenv("STRIPE_API"), "https://api.stripe.com"), Key: key})
}

// chargeAt charges a few times at a server.
func chargeAt(t *testing.T, server *stripetest.Remote) {
	t.Helper()
	h := newHistory(t, server, 1)
	h.workers = 2 // Stripe's test mode takes 25 requests a second
	h.cards = []string{plainCard, plainCard, stripetest.UnchargeableCard, stripetest.AskingCard}
	var total counts
	for _, violation := range h.run(&total) {
		t.Error(violation)
	}
	t.Logf("%+v", total)
	if total.Approved == 0 || total.Declined == 0 || total.Refunds == 0 {
		t.Errorf("got %+v, want some of each", total)
	}
}

// account is an account at an imitation of Stripe.
type account struct {
	imitation
	cards []string // that payers use
}

// imitation is a program by others that imitates Stripe, with one account.
type imitation interface {
	peer
	Forget(ctx context.Context) error // deletes all objects
	WithoutKeys(of func(operation string) bool)
}

// newHistory returns a history in an empty account.
func (a account) newHistory(t *testing.T, seed uint64) *history {
	t.Helper()
	if err := a.Forget(t.Context()); err != nil {
		t.Fatal(err)
	}
	a.WithoutKeys(nil)
	h := newHistory(t, a.imitation, seed)
	h.cards = a.cards
	return h
}

// playHistories charges, refunds and cancels over a network that loses, delays and repeats requests, by processes that
// die at any step. Several calls at the same time ask for each charge and refund. Afterwards the objects of the
// imitation must agree with the outcomes. Every second history is without idempotency keys of charges, so the pin alone
// holds there.
func (a account) playHistories(t *testing.T, charges int) {
	t.Helper()
	var total counts
	for seed := range charges / batch {
		h := a.newHistory(t, uint64(seed))
		if seed%2 == 1 {
			a.WithoutKeys(isOfCharge)
		}
		for _, violation := range h.run(&total) {
			t.Errorf("seed %d: %s", seed, violation)
		}
	}
	t.Logf("%+v", total)
	if total.Approved == 0 || total.Declined == 0 || total.Cancelled == 0 || total.NotTaken == 0 || total.Refunds == 0 {
		t.Errorf("got %+v, want some of each", total)
	}
}
