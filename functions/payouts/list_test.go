package payouts_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/bank/sandbox"
)

type fields = map[string]any

// open starts a world with payouts of three days. The payout of 2026-11-21 has two payments. The payout of 11-22 has
// one payment, which is less than its deduction. The payout of 11-23 has one payment, which covers the difference.
func open(t *testing.T) world.Shop {
	t.Helper()
	w := world.New(t)
	t.Cleanup(w.CheckPayouts)
	s := w.Shop()
	s.SetPayout(fields{"holder": "Kaffeehaus", "iban": sandbox.PaidIBAN})
	first := s.Sell("10")
	s.Sell("20.50")
	runNight(s)
	s.Refund(first, "10")
	s.Sell("5")
	runNight(s)
	s.Sell("100")
	runNight(s)
	return s
}

// runNight lets a day pass, and pays the payout that is due.
func runNight(s world.Shop) {
	s.Helper()
	runNightUntil(s, "PAID")
}

// runNightUntil lets a day pass, and checks that it has one payout, which gets the status.
func runNightUntil(s world.Shop, status string) {
	s.Helper()
	var done struct{ Payouts []fields }
	s.Clock.Advance(24 * time.Hour)
	s.Operate(fields{"command": "run_payouts"}, &done)
	if len(done.Payouts) != 1 || done.Payouts[0]["status"] != status {
		s.Fatalf("got payouts %v, want one that is %s", done.Payouts, status)
	}
}

func paths(s world.Shop) []string {
	return []string{"/v1.0/merchants/" + s.Merchant.Code + "/payouts", "/v0.1/me/financials/payouts"}
}

func list(s world.Shop, path string, query url.Values) world.Response {
	s.Helper()
	return s.Send("GET", path+"?"+query.Encode(), nil)
}

func days(first, last string, more ...string) url.Values {
	query := url.Values{"start_date": {first}, "end_date": {last}}
	for i := 0; i < len(more); i += 2 {
		query.Set(more[i], more[i+1])
	}
	return query
}

// record has all nine fields of contract §6.7.
type record struct {
	ID        int64
	Type      string
	Amount    json.Number
	Date      string
	Currency  string
	Fee       json.Number
	Status    string
	Reference string
	Code      string `json:"transaction_code"`
}

func (r record) String() string {
	return fmt.Sprint(r.Date, " ", r.Type, " ", r.Amount, " ", r.Fee)
}

func records(s world.Shop, path string, query url.Values) []record {
	s.Helper()
	r := list(s, path, query)
	var records []record
	if err := r.Into(&records); err != nil || r.Status != http.StatusOK {
		s.Fatalf("got %d %s, %v, want 200 with records", r.Status, r.Body, err)
	}
	return records
}

// listed has all records, sorted as text. A response has them in the table's order within a day, so tests sort them.
var listed = []string{
	"2026-11-21 PAYOUT 20.10 0.40", "2026-11-21 PAYOUT 9.80 0.20",
	"2026-11-22 PAYOUT 4.90 0.10", "2026-11-22 REFUND_DEDUCTION 10.00 0.00",
	"2026-11-23 BALANCE_DEDUCTION 5.10 0.00", "2026-11-23 PAYOUT 98.05 1.95",
}

func texts(records []record) []string {
	var texts []string
	for _, r := range records {
		texts = append(texts, r.String())
	}
	return texts
}

func TestListPayouts_PaymentsAndDeductions(t *testing.T) {
	t.Parallel()
	s := open(t)
	for _, path := range paths(s) {
		all := records(s, path, days("2026-11-01", "2026-11-30"))
		if !slices.IsSortedFunc(all, func(a, b record) int { return strings.Compare(a.Date, b.Date) }) {
			t.Errorf("%s: got %v, want them in the order of their dates", path, all)
		}
		got := texts(all)
		slices.Sort(got)
		if diff := cmp.Diff(listed, got); diff != "" {
			t.Errorf("%s: records (-want +got):\n%s", path, diff)
		}
		ids := map[int64]bool{}
		for _, r := range all {
			if ids[r.ID] || r.ID <= 0 || r.ID >= 1<<53 || r.Currency != "EUR" || r.Status != "SUCCESSFUL" ||
				!strings.HasPrefix(r.Reference, "PAYOUT "+r.Date) {
				t.Errorf("got %+v, want an id of its own from 1 to 2^53-1, EUR, SUCCESSFUL, a reference that begins with %q",
					r, "PAYOUT "+r.Date)
			}
			ids[r.ID] = true
			if (r.Code == "") != (r.Type == "BALANCE_DEDUCTION") {
				t.Errorf("got %+v, want a transaction_code unless it is a BALANCE_DEDUCTION", r)
			}
		}
		// A second request gets the same list. With the other order, the list is reversed.
		again := records(s, path, days("2026-11-01", "2026-11-30", "order", "asc", "format", "json"))
		if diff := cmp.Diff(all, again); diff != "" {
			t.Errorf("%s: the same list again (-want +got):\n%s", path, diff)
		}
		descending := records(s, path, days("2026-11-01", "2026-11-30", "order", "desc"))
		slices.Reverse(descending)
		if diff := cmp.Diff(all, descending); diff != "" {
			t.Errorf("%s: the descending list, reversed (-want +got):\n%s", path, diff)
		}
	}
}

func TestListPayouts_DaysAndLimit(t *testing.T) {
	t.Parallel()
	s := open(t)
	path := paths(s)[0]
	for _, test := range []struct {
		query url.Values
		days  []string
	}{
		{days("2026-11-22", "2026-11-22"), []string{"2026-11-22", "2026-11-22"}},
		{days("2026-11-22", "2026-11-23"), []string{"2026-11-22", "2026-11-22", "2026-11-23", "2026-11-23"}},
		{days("2026-11-24", "2026-12-31"), nil},
		{days("2026-10-01", "2026-11-20"), nil},
		{days("2026-11-01", "2026-11-30", "limit", "3"), []string{"2026-11-21", "2026-11-21", "2026-11-22"}},
		{days("2026-11-01", "2026-11-30", "limit", "1", "order", "desc"), []string{"2026-11-23"}},
		{days("2026-11-01", "2026-11-30", "limit", "9999", "order", "desc"),
			[]string{"2026-11-23", "2026-11-23", "2026-11-22", "2026-11-22", "2026-11-21", "2026-11-21"}},
	} {
		var got []string
		for _, r := range records(s, path, test.query) {
			got = append(got, r.Date)
		}
		if !slices.Equal(got, test.days) {
			t.Errorf("%s: got %q, want %q", test.query.Encode(), got, test.days)
		}
	}
	if r := list(s, path, days("2026-10-01", "2026-10-02")); string(r.Body) != "[]\n" && string(r.Body) != "[]" {
		t.Errorf("no records: got %q, want []", r.Body)
	}
}

// header is the first line of a list as CSV.
const header = "id,type,amount,date,currency,fee,status,reference,transaction_code"

func TestListPayouts_CSV(t *testing.T) {
	t.Parallel()
	s := open(t)
	for _, path := range paths(s) {
		listed := records(s, path, days("2026-11-01", "2026-11-30"))
		r := list(s, path, days("2026-11-01", "2026-11-30", "format", "csv"))
		if got := r.Header.Get("Content-Type"); r.Status != http.StatusOK || got != "text/plain;charset=UTF-8" {
			t.Errorf("%s: got %d, Content-Type %q, want 200, text/plain;charset=UTF-8", path, r.Status, got)
		}
		lines, err := csv.NewReader(strings.NewReader(string(r.Body))).ReadAll()
		if err != nil || len(lines) != 1+len(listed) || strings.Join(lines[0], ",") != header {
			t.Fatalf("%s: got %s, %v, want %s and %d records", path, r.Body, err, header, len(listed))
		}
		for i, l := range listed {
			want := []string{fmt.Sprint(l.ID), l.Type, string(l.Amount), l.Date, l.Currency, string(l.Fee), l.Status,
				l.Reference, l.Code}
			if diff := cmp.Diff(want, lines[i+1]); diff != "" {
				t.Errorf("%s: line %d (-want +got):\n%s", path, i+1, diff)
			}
		}
	}
	if r := list(s, paths(s)[0], days("2026-10-01", "2026-10-02", "format", "csv")); strings.Count(string(r.Body),
		"\n") != 1 {
		t.Errorf("no records: got %q, want one line", r.Body)
	}
}

// TestListPayouts_Faults checks that the answer is an array with every fault of the request (contract §6.7).
func TestListPayouts_Faults(t *testing.T) {
	t.Parallel()
	s := world.New(t).Shop()
	for _, test := range []struct {
		query url.Values
		want  []string // each as code and param
	}{
		{url.Values{}, []string{"MISSING start_date", "MISSING end_date"}},
		{url.Values{"end_date": {"2026-11-30"}}, []string{"MISSING start_date"}},
		{url.Values{"start_date": {"2026-11-30"}}, []string{"MISSING end_date"}},
		{url.Values{"start_date": {""}, "end_date": {""}}, []string{"INVALID start_date", "INVALID end_date"}},
		{days("2026-11-02", "2026-11-01"), []string{"INVALID "}},
		{days("2026-11-31", "2026-12-01"), []string{"INVALID start_date"}},
		{days("2026-11-01", "20261130"), []string{"INVALID end_date"}},
		{days("2026-11-01", "2026-11-30T00:00:00Z"), []string{"INVALID end_date"}},
		{days("2026-11-01", "2026-11-30", "limit", "0"), []string{"INVALID limit"}},
		{days("2026-11-01", "2026-11-30", "limit", "-1"), []string{"INVALID limit"}},
		{days("2026-11-01", "2026-11-30", "limit", "10000"), []string{"INVALID limit"}},
		{days("2026-11-01", "2026-11-30", "limit", "many"), []string{"INVALID limit"}},
		{url.Values{"limit": {"10000"}}, []string{"MISSING start_date", "MISSING end_date", "INVALID limit"}},
		{days("2026-11-01", "2026-11-30", "format", "xml"), []string{"INVALID format"}},
		{days("2026-11-01", "2026-11-30", "order", "descending"), []string{"INVALID order"}},
		{days("2026-11-01", "2026-11-30", "format", "", "limit", "", "order", ""),
			[]string{"INVALID format", "INVALID limit", "INVALID order"}},
		{days("2026-11-01", "2026-11-30", "limit", "1.5"), []string{"INVALID limit"}},
		{days("2026-11-01", "2026-11-30", "limit", "99999999999999999999"), []string{"INVALID limit"}},
		{days("2026-11-01", "2026-11-30", "format", "CSV"), []string{"INVALID format"}},
		{days(" 2026-11-01", "2026-11-30"), []string{"INVALID start_date"}},
		// A missing parameter does not hide the faults of other parameters.
		{url.Values{"format": {"xml"}}, []string{"MISSING start_date", "MISSING end_date", "INVALID format"}},
		{url.Values{"limit": {"many"}, "order": {"up"}}, []string{"MISSING start_date", "MISSING end_date",
			"INVALID limit", "INVALID order"}},
		{days("2026-11-02", "2026-11-01", "limit", "10000"), []string{"INVALID ", "INVALID limit"}},
		{days("2026-11-02", "2026-11-01", "limit", "0", "format", "xml", "order", "up"),
			[]string{"INVALID ", "INVALID format", "INVALID limit", "INVALID order"}},
		{url.Values{"start_date": {"2026-11-01", "2026-11-02"}, "end_date": {"2026-11-30"}}, []string{"INVALID start_date"}},
	} {
		for _, path := range paths(s) {
			if got := faults(t, list(s, path, test.query)); !slices.Equal(got, test.want) {
				t.Errorf("%s?%s: got %q, want %q", path, test.query.Encode(), got, test.want)
			}
		}
	}
}

// faults returns the entries of a refusal, each as code and param.
func faults(t *testing.T, r world.Response) (texts []string) {
	t.Helper()
	var faults []struct {
		Code    string `json:"error_code"`
		Param   string
		Message string
	}
	if err := r.Into(&faults); err != nil || r.Status != http.StatusBadRequest {
		t.Errorf("got %d %s, %v, want 400 with an array of faults", r.Status, r.Body, err)
		return nil
	}
	for _, f := range faults {
		texts = append(texts, f.Code+" "+f.Param)
		if f.Param == "" && f.Message != "negative date range" {
			t.Errorf("got message %q, want negative date range", f.Message)
		}
	}
	return texts
}

func TestListPayouts_OtherMerchant(t *testing.T) {
	t.Parallel()
	s := open(t)
	query := "?" + days("2026-11-01", "2026-11-30").Encode()
	for _, path := range paths(s) {
		theirs := s.OtherShop().Send("GET", path+query, nil)
		switch {
		case strings.HasPrefix(path, "/v1.0") && theirs.Status != http.StatusNotFound:
			t.Errorf("%s: got %d for another merchant, want 404", path, theirs.Status)
		case strings.HasPrefix(path, "/v0.1") && strings.TrimSpace(string(theirs.Body)) != "[]":
			t.Errorf("%s: got %s for another merchant, want []", path, theirs.Body)
		}
		r := s.Do(world.Request{Method: "GET", Path: path + query, APIKey: world.NoKey})
		s.Want(path+" without a key", http.StatusUnauthorized, r)
	}
	old := list(s, paths(s)[1], days("2026-11-01", "2026-11-30"))
	if old.Header.Get("Deprecation") == "" || !strings.Contains(old.Header.Get("Link"), paths(s)[0]) {
		t.Errorf("deprecated path: got headers %v, want Deprecation, and a Link to %s", old.Header, paths(s)[0])
	}
}
