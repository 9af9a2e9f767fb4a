package payments_test

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// drawSome draws a list of some of the values, or nil.
func drawSome[T any](t *rapid.T, label string, values ...T) []T {
	if rapid.IntRange(0, 2).Draw(t, label+"?") > 0 { // if more lists were set, hardly any item would pass
		return nil
	}
	return rapid.SliceOfN(rapid.SampledFrom(values), 0, 3).Draw(t, label)
}

func drawItem(t *rapid.T) payments.HistoryItem {
	draw := func(label string, values ...string) string { return rapid.SampledFrom(values).Draw(t, label) }
	h := payments.HistoryItem{
		Type: payments.EventType(draw("type", "PAYMENT", "REFUND", "CHARGE_BACK")),
		SimpleStatus: payments.SimpleStatus(draw("simple status", "", "SUCCESSFUL", "REFUNDED", "CHARGEBACK",
			"NON_COLLECTION", "FAILED")),
		UpdatedAt: after(time.Duration(rapid.IntRange(0, 3).Draw(t, "updated")) * time.Millisecond),
		TransactionSummary: payments.TransactionSummary{Reader: draw("reader", "", "R1", "R2"),
			Username:    draw("user", "ada@shop.example", "Bob@Shop.example"),
			PaymentType: draw("payment type", "ECOM", "RECURRING", "BOLETO"), EntryMode: draw("entry mode",
				"CUSTOMER_ENTRY", "IDEAL", "PIX")},
	}
	if h.Type == payments.PaymentItem {
		h.RawStatus = draw("status", "SUCCESSFUL", "CANCELLED", "FAILED", "PENDING")
	} else {
		h.RawStatus, h.SimpleStatus = draw("event status", "PENDING", "REFUNDED", "SUCCESSFUL", "FAILED"), ""
	}
	if rapid.Bool().Draw(t, "located") {
		h.Location = &payments.Location{Lat: float64(rapid.IntRange(-2, 2).Draw(t, "lat")),
			Lon: float64(rapid.IntRange(-180, 180).Draw(t, "lon"))}
	}
	return h
}

func drawFilter(t *rapid.T) payments.HistoryFilter {
	f := payments.HistoryFilter{
		Users: drawSome(t, "users", "ADA@shop.example", "bob@shop.example", "nobody@shop.example"),
		Statuses: drawSome(t, "statuses", payments.HistoryStatus("SUCCESSFUL"), "CANCELLED", "FAILED", "PENDING",
			"REFUNDED", "CHARGE_BACK"),
		PaymentTypes: drawSome(t, "payment types", "ECOM", "RECURRING", "BOLETO", "POS"),
		EntryModes:   drawSome(t, "entry modes", "CUSTOMER_ENTRY", "IDEAL", "CHIP"),
		Types:        drawSome(t, "types", payments.PaymentItem, payments.RefundEvent, payments.ChargebackEvent),
		Readers:      drawSome(t, "readers", "R1", "R3"),
		ChangesAfter: rapid.Bool().Draw(t, "strictly"),
	}
	if rapid.Bool().Draw(t, "since") {
		since := after(time.Duration(rapid.IntRange(0, 6).Draw(t, "since")) * 500 * time.Microsecond)
		f.ChangesSince = &since
	}
	if rapid.Bool().Draw(t, "area") {
		var a payments.Area
		text := rapid.SampledFrom([]string{"-10,-1,10,1", "170,-90,-170,90", "0,0,0,0", "-180,-90,180,90"}).Draw(t, "box")
		if err := a.UnmarshalText([]byte(text)); err != nil {
			t.Fatal(err)
		}
		f.Area = &a
	}
	return f
}

// hasWord returns true if the list allows one of the words, ignoring case. An empty list allows all words.
func hasWord[T ~string](list []T, words ...string) bool {
	for _, allowed := range list {
		for _, word := range words {
			if strings.EqualFold(string(allowed), word) {
				return true
			}
		}
	}
	return len(list) == 0
}

// statusWords maps each status of an item to the statuses that select the item.
var statusWords = map[payments.EventType]map[string][]string{
	payments.PaymentItem: {
		"SUCCESSFUL": {"SUCCESSFUL"}, "CANCELLED": {"CANCELLED"}, "FAILED": {"FAILED"}, "PENDING": {"PENDING"},
		"simply REFUNDED": {"REFUNDED"}, "simply CHARGEBACK": {"CHARGE_BACK"}, "simply NON_COLLECTION": {"CHARGE_BACK"},
	},
	payments.RefundEvent: {"PENDING": {"PENDING"}, "REFUNDED": {"SUCCESSFUL"}, "SUCCESSFUL": {"SUCCESSFUL"},
		"FAILED": {"FAILED"}},
	payments.ChargebackEvent: {"PENDING": {"PENDING"}, "REFUNDED": {"SUCCESSFUL"}, "SUCCESSFUL": {"SUCCESSFUL"},
		"FAILED": {"FAILED"}},
}

// isInside returns true if the location is in the box. The limits of each of the boxes above are written out.
func isInside(box string, l *payments.Location) bool {
	if l == nil {
		return false
	}
	switch box {
	case "-10,-1,10,1":
		return -10 <= l.Lon && l.Lon <= 10 && -1 <= l.Lat && l.Lat <= 1
	case "170,-90,-170,90":
		return l.Lon >= 170 || l.Lon <= -170
	case "0,0,0,0":
		return l.Lon == 0 && l.Lat == 0
	default:
		return true
	}
}

func wantMatch(f payments.HistoryFilter, h payments.HistoryItem) bool {
	words := append(statusWords[h.Type][h.RawStatus], statusWords[h.Type]["simply "+string(h.SimpleStatus)]...)
	fits := hasWord(f.Users, h.Username) && hasWord(f.Statuses, words...) && hasWord(f.PaymentTypes, h.PaymentType) &&
		hasWord(f.EntryModes, h.EntryMode) && hasWord(f.Types, string(h.Type)) && hasWord(f.Readers, h.Reader)
	if f.ChangesSince != nil {
		late := h.UpdatedAt.UnixNano() - f.ChangesSince.UnixNano()
		fits = fits && (late > 0 || late == 0 && !f.ChangesAfter)
	}
	return fits && (f.Area == nil || isInside(f.Area.String(), h.Location))
}

func TestHistoryFilter(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		f := drawFilter(t)
		for _, h := range rapid.SliceOfN(rapid.Custom(drawItem), 20, 20).Draw(t, "items") {
			if got, want := f.Match(h), wantMatch(f, h); got != want {
				t.Fatalf("%+v of %+v: got match %t, want %t", f, h, got, want)
			}
			if f.All() && !f.Match(h) {
				t.Fatalf("%+v, which passes all, of %+v: got match false, want true", f, h)
			}
		}
	})
}

// TestHistoryEntry_UnchangedByPayout checks that a payout need not rewrite a payment's entry in the history's index.
func TestHistoryEntry_UnchangedByPayout(t *testing.T) {
	t.Parallel()
	change := captured(t, money.MustParse("90", "EUR"), "0.02", merchant.SinglePayment, 1)
	want := change.Transaction.HistoryItem().Entry()
	collected, err := change.Transaction.CollectPart(change.Payables[0], "payout-1", "2026-11-03")
	if err != nil {
		t.Fatal(err)
	}
	for _, paid := range []bool{true, false} {
		settled, _, err := collected.SettlePart(1, "payout-1", paid, after(time.Hour))
		if err != nil {
			t.Fatal(err)
		}
		for _, tx := range []payments.Transaction{collected, settled} {
			if diff := cmp.Diff(want, tx.HistoryItem().Entry()); diff != "" {
				t.Errorf("paid %t: entry of %+v (-want +got):\n%s", paid, tx.Payouts, diff)
			}
		}
	}
}

func TestHistoryFilter_All(t *testing.T) {
	t.Parallel()
	since := start
	for name, f := range map[string]payments.HistoryFilter{
		"users": {Users: []string{"a"}}, "statuses": {Statuses: []payments.HistoryStatus{"FAILED"}},
		"readers":       {Readers: []string{"R"}},
		"payment types": {PaymentTypes: []string{"ECOM"}}, "entry modes": {EntryModes: []string{"PIX"}},
		"types": {Types: []payments.EventType{payments.RefundEvent}}, "area": {Area: &payments.Area{}},
		"changes": {ChangesSince: &since},
	} {
		if f.All() {
			t.Errorf("a filter by %s: got passes all true, want false", name)
		}
	}
	if !(payments.HistoryFilter{}).All() {
		t.Error("no filter: got passes all false, want true")
	}
}

func TestArea_UnmarshalText(t *testing.T) {
	t.Parallel()
	for text, good := range map[string]bool{
		"13.1,52.3,13.7,52.7": true, "-180,-90,180,90": true, "170,1,-170,2": true, "0,0,0,0": true,
		"": false, "1,2,3": false, "1,2,3,4,5": false, "1,2,,4": false, "1, 2,3,4": false, "1,3,2,2": false,
		"-181,0,0,0": false, "0,-91,0,0": false, "0,0,180.1,0": false, "0,0,0,90.5": false, "NaN,0,0,0": false,
		"0,0,Inf,0": false, "0x1,0,1,1": false, "1e1,0,20,1": false, "1.,0,2,1": false, ".5,0,2,1": false,
		"+1,0,2,1": false, "--1,0,2,1": false,
	} {
		var a payments.Area
		err := a.UnmarshalText([]byte(text))
		if (err == nil) != good || (err != nil && !failure.Is(err, failure.KindInvalid)) {
			t.Errorf("%q: got error %v, want one: %t", text, err, !good)
		}
		if good && a.String() != text {
			t.Errorf("%q: got %q, want it unchanged", text, a)
		}
	}
}
