package ledger_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/cashwrap/cashwrap/shared/ledger"
	"github.com/cashwrap/cashwrap/shared/money"
)

var start = time.Date(2026, 11, 2, 8, 0, 0, 0, time.UTC)

func posting(account ledger.Account, amount string, c money.Currency) ledger.Posting {
	return ledger.Posting{Account: account, Amount: money.MustParse(amount, c)}
}

// TestNewEntry_Subject checks that the kind of an entry decides if it is about a transaction or a payout.
func TestNewEntry_Subject(t *testing.T) {
	t.Parallel()
	postings := []ledger.Posting{posting(ledger.MerchantPayable, "10", "EUR"), posting(ledger.Bank, "-10", "EUR")}
	for kind, about := range map[ledger.Kind]ledger.Reference{ledger.Payment: ledger.OfPayout("id"),
		ledger.Payout:     ledger.OfTransaction("id"),
		ledger.PayoutPaid: {ID: "id"}} {
		if _, err := ledger.NewEntry("id", kind, about, start, postings...); !errors.Is(err, ledger.ErrSubject) {
			t.Errorf("a %s about a %q: got error %v, want %v", kind, about.Subject, err, ledger.ErrSubject)
		}
	}
}

func TestNewEntry_Unbalanced(t *testing.T) {
	t.Parallel()
	const receivable, payable, fee = ledger.AcquirerReceivable, ledger.MerchantPayable, ledger.FeeIncome
	for name, test := range map[string]struct {
		postings []ledger.Posting
		kept     int // number of postings kept; 0: refused
	}{
		"two postings": {[]ledger.Posting{posting(receivable, "10", "EUR"), posting(payable, "-10", "EUR")}, 2},
		"three postings": {[]ledger.Posting{posting(receivable, "10", "EUR"), posting(payable, "-9.80", "EUR"),
			posting(fee, "-0.20", "EUR")}, 3},
		"a posting of zero": {[]ledger.Posting{posting(receivable, "10", "EUR"), posting(payable, "-10", "EUR"),
			posting(fee, "0", "EUR")}, 2},
		"two currencies": {[]ledger.Posting{posting(receivable, "10", "EUR"), posting(payable, "-10", "EUR"),
			posting(receivable, "7", "CLP"), posting(payable, "-7", "CLP")}, 4},
		"unbalanced":       {[]ledger.Posting{posting(receivable, "10", "EUR"), posting(payable, "-9.99", "EUR")}, 0},
		"both debits":      {[]ledger.Posting{posting(receivable, "10", "EUR"), posting(payable, "10", "EUR")}, 0},
		"a single posting": {[]ledger.Posting{posting(receivable, "10", "EUR")}, 0},
		"mixed currencies": {[]ledger.Posting{posting(receivable, "10", "EUR"), posting(payable, "-10", "USD")}, 0},
		"one of two unbalanced": {[]ledger.Posting{posting(receivable, "10", "EUR"), posting(payable, "-10", "EUR"),
			posting(receivable, "7", "CLP")}, 0},
		"nothing":           {nil, 0},
		"only zeros":        {[]ledger.Posting{posting(receivable, "0", "EUR"), posting(payable, "0", "EUR")}, 0},
		"no amounts at all": {[]ledger.Posting{{Account: receivable}, {Account: payable}}, 0},
		"beyond any sum": {[]ledger.Posting{posting(receivable, "999999999999", "EUR"),
			posting(payable, "-999999999998.99", "EUR")}, 0},
	} {
		e, err := ledger.NewEntry("id", ledger.Payment, ledger.OfTransaction("id"), start, test.postings...)
		if refused := errors.Is(err, ledger.ErrUnbalanced); refused != (test.kept == 0) || (err != nil) != refused {
			t.Errorf("%s: got error %v, want %v: %t", name, err, ledger.ErrUnbalanced, test.kept == 0)
		}
		if test.kept > 0 && len(e.Postings) != test.kept {
			t.Errorf("%s: got postings %v, want %d", name, e.Postings, test.kept)
		}
		if check := e.Check(); (check == nil) != (test.kept > 0) {
			t.Errorf("%s, read back: got error %v, want none: %t", name, check, test.kept > 0)
		}
	}
}

// TestMustEntry_Unbalanced checks that MustEntry makes no entry that does not balance.
func TestMustEntry_Unbalanced(t *testing.T) {
	t.Parallel()
	entry := func(credit string) (e *ledger.Entry, refused any) {
		defer func() { refused = recover() }()
		return ledger.MustEntry("id", ledger.Payout, ledger.OfPayout("id"), start,
			posting(ledger.MerchantPayable, "10", "EUR"), posting(ledger.PayoutsInTransit, credit, "EUR")), nil
	}
	e, refused := entry("-10")
	want := &ledger.Entry{ID: "id", Kind: ledger.Payout, About: ledger.OfPayout("id"), At: start,
		Postings: []ledger.Posting{posting(ledger.MerchantPayable, "10", "EUR"),
			posting(ledger.PayoutsInTransit, "-10", "EUR")}}
	if diff := cmp.Diff(want, e, cmpopts.EquateComparable(money.Amount{})); refused != nil || diff != "" {
		t.Errorf("balanced: got panic %v, want none; entry (-want +got):\n%s", refused, diff)
	}
	if e, refused = entry("-9.99"); refused == nil {
		t.Errorf("unbalanced: got %+v, want a panic", e)
	}
}
