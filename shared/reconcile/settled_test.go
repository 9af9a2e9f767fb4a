package reconcile_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/ledger"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/reconcile"
)

// charge makes the acquirer charge 1.00 for each movement so far that has no fee yet.
func (h *history) charge() {
	for i := range h.movements {
		if m := &h.movements[i]; m.Kind.OfCharge() && m.Fee.Currency() == "" {
			m.Fee = money.MustParse("1", m.Amount.Currency())
		}
	}
}

// settleDay adds the acquirer's settlements of a UTC date, one for each tenant. They withhold the fees, and 1.00 as
// security.
func (h *history) settleDay(day string) {
	h.Helper()
	h.charge()
	gross, fees := map[string]int64{}, map[string]int64{}
	for _, m := range h.movements {
		if m.At.Format(time.DateOnly) == day && m.Kind != acquirer.SettlementMovement {
			gross[m.Tenant] += m.Kind.Sign() * m.Amount.Minor()
			fees[m.Tenant] += m.Fee.Minor()
		}
	}
	on, err := time.Parse(time.DateOnly, day)
	h.must(err)
	for _, t := range slices.Sorted(maps.Keys(gross)) {
		h.settlement(t, "S "+day, gross[t]-fees[t]-100, fees[t], on)
	}
}

// settlement adds a settlement that covers movements until a UTC date, with a reserve of 1.00.
func (h *history) settlement(tenant, id string, net, fee int64, on time.Time) {
	h.movements = append(h.movements, acquirer.Movement{LineID: fmt.Sprint(len(h.movements)), Tenant: tenant,
		Kind: acquirer.SettlementMovement, Amount: money.FromMinor(net, "EUR"), Fee: money.FromMinor(fee, "EUR"),
		Reserve: money.FromMinor(100, "EUR"), SettlementID: id, AvailableOn: on, At: h.clock.Now()})
}

// settlementOf returns the latest settlement of the tenant.
func (h *history) settlementOf(t identity.Tenant) *acquirer.Movement {
	h.Helper()
	for i, m := range slices.Backward(h.movements) {
		if m.Kind == acquirer.SettlementMovement && m.Tenant == t.String() {
			return &h.movements[i]
		}
	}
	h.Fatalf("got no settlement of %s, want one", t)
	return nil
}

// add adds minor units to an amount in euros.
func add(a money.Amount, minor int64) money.Amount { return money.FromMinor(a.Minor()+minor, "EUR") }

// firstDay is the UTC date of the payments of newSettledHistory.
const firstDay = "2026-11-20"

// newSettledHistory returns a history with payments of one day, after the proof of the whole table. Now is the next
// day, and nothing is settled.
func newSettledHistory(t *testing.T) *history {
	t.Helper()
	h := newHistory(t, 1)
	h.records = true
	h.tick()
	for range 12 {
		h.pay()
	}
	h.clock.Advance(24 * time.Hour)
	return h
}

// wantSame checks that a night finds the breaks that a proof of the whole table finds: of the given kinds and ids.
func (h *history) wantSame(when string, want ...string) {
	h.Helper()
	night, _ := h.tick()
	whole := h.reconcile()
	if diff := cmp.Diff(whole.Breaks, night.Breaks); diff != "" {
		h.Errorf("%s (-whole +night):\n%s", when, diff)
	}
	var got []string
	for _, b := range night.Breaks {
		got = append(got, fmt.Sprint(b.Tenant, " ", b.Kind, " ", b.ID, " ", b.Text))
	}
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		h.Errorf("%s (-want +got):\n%s", when, diff)
	}
}

// tested is the tenant whose settlement the tests change.
var tested = shops[1]

// gross returns the gross amount of a settlement.
func gross(m acquirer.Movement) int64 { return m.Amount.Minor() + m.Fee.Minor() + m.Reserve.Minor() }

// differs returns the break of a settlement that covers firstDay.
func differs(tenant, id, what string, expected, actual int64) string {
	return fmt.Sprintf("%s settlement_differs %s %s: expected %s EUR, actual %s EUR; covers movements until %s", tenant,
		id, what, money.FromMinor(expected, "EUR"), money.FromMinor(actual, "EUR"), firstDay)
}

// missing returns the break of a settlement that has not come.
func missing(s acquirer.Movement) string {
	return fmt.Sprintf("%s settlement_missing %s EUR gross amount of %s EUR with a fee of %s EUR, available since %[2]s",
		tested, firstDay, money.FromMinor(gross(s), "EUR"), s.Fee)
}

func TestTick_SettledCompletely(t *testing.T) {
	t.Parallel()
	h := newSettledHistory(t)
	h.settleDay(firstDay)
	if r, _ := h.tick(); r.Found != 0 {
		t.Fatalf("got %+v, want no breaks", r.Breaks)
	}
	h.clock.Advance(time.Hour) // the entries of this night's import are older than the next night's Until
	for range 2 {
		h.wantSame("settled")
		h.clock.Advance(20 * 24 * time.Hour)
	}
	var sums map[string]int64
	for c, err := range h.store.ClosingsBefore(t.Context(), euroDays(tested), "2027") {
		h.must(err)
		sums = c.Balances
		break
	}
	s := h.settlementOf(tested)
	got := map[ledger.Account]int64{}
	for _, a := range []ledger.Account{ledger.AcquirerReceivable, ledger.Bank, ledger.AcquirerFees,
		ledger.AcquirerReserve} {
		got[a] = sums[string(a)]
	}
	want := map[ledger.Account]int64{ledger.AcquirerReceivable: 0, ledger.Bank: s.Amount.Minor(),
		ledger.AcquirerFees: s.Fee.Minor(), ledger.AcquirerReserve: 100}
	if diff := cmp.Diff(want, got); diff != "" || s.Amount.Sign() <= 0 {
		t.Errorf("balances of the journal's closings (-want +got):\n%s", diff)
	}
}

// TestTick_SettlementBreaks checks that nights and a proof of the whole table find the same breaks of settlements, and
// that a later settlement with the difference mends them.
func TestTick_SettlementBreaks(t *testing.T) {
	t.Parallel()
	unknown := identity.Tenant{Mode: identity.Test, Merchant: "MC9"}
	for name, damage := range map[string]struct {
		do   func(h *history, s *acquirer.Movement)
		want func(s acquirer.Movement) []string // for the settlement without the damage
		mend func(h *history, s acquirer.Movement)
	}{
		"short": {func(_ *history, s *acquirer.Movement) { s.Amount = add(s.Amount, -5) },
			func(s acquirer.Movement) []string {
				return []string{differs(tested.String(), s.SettlementID, "gross amount", gross(s), gross(s)-5)}
			},
			func(h *history, _ acquirer.Movement) {
				h.settlement(tested.String(), "more", 5-100, 0, h.clock.Now())
			}},
		"a wrong fee": {func(_ *history, s *acquirer.Movement) { s.Amount, s.Fee = add(s.Amount, -3), add(s.Fee, 3) },
			func(s acquirer.Movement) []string {
				return []string{differs(tested.String(), s.SettlementID, "fee", s.Fee.Minor(), s.Fee.Minor()+3)}
			},
			func(h *history, _ acquirer.Movement) {
				h.settlement(tested.String(), "fee back", 3-100, -3, h.clock.Now())
			}},
		"twice": {func(h *history, s *acquirer.Movement) {
			again := *s
			again.LineID = "again"
			h.movements = append(h.movements, again)
		}, func(s acquirer.Movement) []string {
			return []string{differs(tested.String(), s.SettlementID, "fee", s.Fee.Minor(), 2*s.Fee.Minor()),
				differs(tested.String(), s.SettlementID, "gross amount", gross(s), 2*gross(s))}
		}, func(h *history, s acquirer.Movement) {
			h.settlement(tested.String(), "back", -gross(s)+s.Fee.Minor()-100, -s.Fee.Minor(), h.clock.Now())
		}},
		"short in two parts": {func(h *history, s *acquirer.Movement) {
			s.Amount = add(s.Amount, -200)
			on, _ := time.Parse(time.DateOnly, firstDay)
			h.settlement(tested.String(), "T", 195-100, 0, on)
		}, func(s acquirer.Movement) []string {
			return []string{differs(tested.String(), s.SettlementID+", T", "gross amount", gross(s), gross(s)-5)}
		}, func(h *history, _ acquirer.Movement) {
			h.settlement(tested.String(), "more", 5-100, 0, h.clock.Now())
		}},
		"more reserve paid out than kept": {func(_ *history, s *acquirer.Movement) {
			s.Amount, s.Reserve = add(s.Amount, 150), money.MustParse("-0.50", "EUR")
		}, func(s acquirer.Movement) []string {
			return []string{fmt.Sprintf("%s settlement_differs %s reserve: -0.50 EUR left, less than nothing; covers movements "+
				"until %s", tested, s.SettlementID, firstDay)}
		}, func(h *history, _ acquirer.Movement) {
			h.settlement(tested.String(), "kept", -100, 0, h.clock.Now())
		}},
		"of an unknown tenant": {func(h *history, _ *acquirer.Movement) {
			on, _ := time.Parse(time.DateOnly, firstDay)
			h.settlement(unknown.String(), "lost", 900, 0, on)
		}, func(acquirer.Movement) []string {
			return []string{differs(unknown.String(), "lost", "gross amount", 0, 1000)}
		}, func(h *history, _ acquirer.Movement) {
			h.settlement(unknown.String(), "back", -1100, 0, h.clock.Now())
		}},
		"not at all": {func(h *history, s *acquirer.Movement) {
			h.movements = slices.DeleteFunc(h.movements, func(m acquirer.Movement) bool { return m == *s })
			h.clock.Advance(14 * 24 * time.Hour)
		}, func(s acquirer.Movement) []string {
			return []string{missing(s)}
		}, func(h *history, s acquirer.Movement) {
			s.At = h.clock.Now()
			h.movements = append(h.movements, s)
		}},
		"in another currency": {func(h *history, s *acquirer.Movement) {
			s.Amount, s.Fee, s.Reserve = money.MustParse("9", "USD"), money.MustParse("1", "USD"), money.Amount{}
			h.clock.Advance(14 * 24 * time.Hour)
		}, func(s acquirer.Movement) []string {
			return []string{fmt.Sprintf("%s settlement_differs %s fee: expected 0.00 USD, actual 1.00 USD; covers movements "+
				"until %s", tested, s.SettlementID, firstDay),
				fmt.Sprintf("%s settlement_differs %s gross amount: expected 0.00 USD, actual 10.00 USD; covers movements "+
					"until %s", tested, s.SettlementID, firstDay),
				missing(s)}
		}, func(h *history, s acquirer.Movement) {
			back := *h.settlementOf(tested)
			back.LineID, back.SettlementID, back.At, back.AvailableOn = "back", "back", h.clock.Now(), h.clock.Now()
			back.Amount, back.Fee = back.Amount.Neg(), back.Fee.Neg()
			s.LineID, s.At = "in euros", h.clock.Now()
			h.movements = append(h.movements, back, s)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newSettledHistory(t)
			h.settleDay(firstDay)
			right := *h.settlementOf(tested)
			damage.do(h, h.settlementOf(tested))
			for night := range 2 {
				h.wantSame(fmt.Sprint("night ", night), damage.want(right)...)
				h.clock.Advance(time.Hour)
			}
			damage.mend(h, right)
			h.tick()
			h.clock.Advance(24 * time.Hour)
			h.wantSame("mended")
		})
	}
}

// TestTick_DebtCarriedForward checks that a debt of ours is no break, however old it is, and that the 14 days begin
// when the acquirer owes us money again.
func TestTick_DebtCarriedForward(t *testing.T) {
	t.Parallel()
	h := newSettledHistory(t)
	h.settleDay(firstDay)
	s := *h.settlementOf(tested)
	h.movements = append(h.movements, acquirer.Movement{LineID: "fee", Kind: acquirer.FeeMovement, Tenant: tested.String(),
		Amount: money.MustParse("5", "EUR"), At: h.clock.Now()})
	h.tick()
	h.clock.Advance(20 * 24 * time.Hour)
	h.wantSame("in debt")
	day := h.clock.Now().Format(time.DateOnly)
	h.movements = append(h.movements, acquirer.Movement{LineID: "back", Kind: acquirer.SettlementReturnedMovement,
		Tenant: tested.String(), SettlementID: s.SettlementID, Amount: money.MustParse("8", "EUR"), At: h.clock.Now()})
	h.clock.Advance(14 * 24 * time.Hour)
	h.wantSame("owed for 14 days")
	h.clock.Advance(24 * time.Hour)
	h.wantSame("owed for 15 days", fmt.Sprintf("%s settlement_missing %s EUR gross amount of 3.00 EUR with a fee of "+
		"0.00 EUR, available since %[2]s", tested, day))
}

// TestTick_SettlementRecords checks that a night and a proof of the whole table notice that the entry or the line of a
// settlement is lost or differs.
func TestTick_SettlementRecords(t *testing.T) {
	t.Parallel()
	const entry, line = "JOURNAL#", "STATEMENT#"
	change := func(name string, to types.AttributeValue) func(map[string]types.AttributeValue) {
		return func(item map[string]types.AttributeValue) { item[name] = to }
	}
	moved := postings("bank", "1", "acquirer_receivable", "-1")
	for name, damage := range map[string]struct {
		prefix string
		change func(map[string]types.AttributeValue) // nil: the item is lost
		want   reconcile.BreakKind
	}{
		"the entry is lost":            {entry, nil, "entry_missing"},
		"the line is lost":             {line, nil, "entry_unexpected"},
		"the line has another amount":  {line, change("amount", amount("0.01")), "entry_differs"},
		"the line has another fee":     {line, change("fee", amount("0.01")), "entry_differs"},
		"the line has another reserve": {line, change("reserve", amount("0.01")), "entry_differs"},
		"the line has another kind":    {line, change("kind", str("settlement_returned")), "entry_unexpected"},
		"the entry has another kind":   {entry, change("kind", str("settlement_returned")), "entry_missing"},
		"the entry has other postings": {entry, change("postings", moved), "entry_differs"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newSettledHistory(t)
			h.settleDay(firstDay)
			h.tick()
			_, table := h.store.Raw()
			pk := damage.prefix + tested.String() + "#settlement#EUR#S " + firstDay
			var items []map[string]types.AttributeValue
			h.must(table.Get("pk", pk).All(t.Context(), &items))
			if len(items) != 1 {
				t.Fatalf("got %v, want one item of %s", items, pk)
			}
			if damage.change != nil {
				damage.change(items[0])
				h.must(table.Put(items[0]).Run(t.Context()))
			} else {
				h.must(table.Delete("pk", pk).Range("sk", text(items[0]["sk"])).Run(t.Context()))
			}
			h.movements = slices.DeleteFunc(h.movements, func(m acquirer.Movement) bool { // else it is imported again
				return m.Kind == acquirer.SettlementMovement && m.Tenant == tested.String()
			})
			h.clock.Advance(time.Hour)
			night, _ := h.tick() // the settlement is still open, because the night before did not add its entry
			for which, r := range map[string]reconcile.Report{"night": night, "whole": h.reconcile()} {
				if !slices.Contains(sortedKinds(r), damage.want) {
					t.Errorf("%s: got %+v, want %s", which, r.Breaks, damage.want)
				}
			}
		})
	}
}

// TestTick_AccountFees checks fees and settlements of the acquirer that belong to no merchant, and a settlement that is
// negative, comes back from the bank, and is paid later. A fee may be available only after 400 days.
func TestTick_AccountFees(t *testing.T) {
	t.Parallel()
	h := newSettledHistory(t)
	on, _ := time.Parse(time.DateOnly, firstDay)
	platform, other := identity.PlatformTenant(identity.Live), identity.PlatformTenant(identity.Test)
	h.movements = append(h.movements, acquirer.Movement{LineID: "monthly fee", Kind: acquirer.FeeMovement,
		Tenant: platform.String(), Amount: money.MustParse("9", "EUR"), At: on})
	h.settleDay(firstDay)
	h.movements = append(h.movements, acquirer.Movement{LineID: "later fee", Kind: acquirer.FeeMovement,
		Tenant: platform.String(), Amount: money.MustParse("9", "EUR"), At: on, AvailableOn: on.AddDate(0, 0, 400)})
	s := *h.settlementOf(tested)
	back := s
	back.LineID, back.Kind, back.At, back.AvailableOn = "back", acquirer.SettlementReturnedMovement, h.clock.Now(),
		h.clock.Now()
	back.Fee, back.Reserve = money.Amount{}, money.Amount{}
	h.movements = append(h.movements, back)
	h.settlement(tested.String(), "again", s.Amount.Minor()-100, 0, h.clock.Now())
	h.clock.Advance(24 * time.Hour)
	for range 2 {
		h.wantSame("with a fee of the account, and a settlement that came back")
		h.clock.Advance(time.Hour)
	}
	entries, err := h.store.Entries(t.Context(), platform, ledger.OfSettlement("S "+firstDay, "EUR"))
	fees, feesErr := h.store.Entries(t.Context(), platform, ledger.OfAcquirerFee("monthly fee", "EUR"))
	if err != nil || feesErr != nil || len(entries) != 1 || len(fees) != 1 {
		t.Errorf("got entries %+v and %+v, errors %v, %v; want one of each", entries, fees, err, feesErr)
	}
	entries, err = h.store.Entries(t.Context(), other, ledger.OfSettlement("S "+firstDay, "EUR"))
	fees, feesErr = h.store.Entries(t.Context(), other, ledger.OfAcquirerFee("monthly fee", "EUR"))
	if err != nil || feesErr != nil || len(entries)+len(fees) > 0 {
		t.Errorf("got entries %+v and %+v of the other mode, errors %v, %v; want none", entries, fees, err, feesErr)
	}
}
