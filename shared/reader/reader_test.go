package reader_test

import (
	"fmt"
	"regexp"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/reader"
)

var start = time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)

func after(d time.Duration) time.Time { return start.Add(d) }

// processing returns a new reader.
func processing() reader.Reader {
	return reader.New("rdr_1", "VS0123456789", "virtual-solo", reader.Given{Name: "Till"}, start)
}

// TestStatusAt checks each event in each state. It checks the event's time, and the status before and after the five
// minutes.
func TestStatusAt(t *testing.T) {
	t.Parallel()
	type event = func(reader.Reader, time.Time) reader.Reader
	nothing := func(r reader.Reader, _ time.Time) reader.Reader { return r }
	states := map[string]reader.Reader{"processing": processing(), "paired": processing().Confirm(after(time.Second)),
		"ended":            processing().End(after(time.Second)),
		"paired and ended": processing().Confirm(after(time.Second)).End(after(2 * time.Second))}
	events := map[string]event{"nothing": nothing, "confirmed": reader.Reader.Confirm, "ended": reader.Reader.End}
	const late = 5*time.Minute + time.Millisecond
	type row struct {
		state, event       string
		early, last, later reader.Status // statuses after 3 s, after five minutes, and later
		settled            bool
		changed            bool
	}
	for _, c := range []row{
		{"processing", "nothing", reader.Processing, reader.Processing, reader.Expired, false, false},
		{"processing", "confirmed", reader.Paired, reader.Paired, reader.Paired, true, true},
		{"processing", "ended", reader.Expired, reader.Expired, reader.Expired, true, true},
		{"paired", "nothing", reader.Paired, reader.Paired, reader.Paired, true, false},
		{"paired", "confirmed", reader.Paired, reader.Paired, reader.Paired, true, false},
		{"paired", "ended", reader.Expired, reader.Expired, reader.Expired, true, true},
		{"ended", "nothing", reader.Expired, reader.Expired, reader.Expired, true, false},
		{"ended", "confirmed", reader.Expired, reader.Expired, reader.Expired, true, false},
		{"ended", "ended", reader.Expired, reader.Expired, reader.Expired, true, false},
		{"paired and ended", "nothing", reader.Expired, reader.Expired, reader.Expired, true, false},
		{"paired and ended", "confirmed", reader.Expired, reader.Expired, reader.Expired, true, false},
		{"paired and ended", "ended", reader.Expired, reader.Expired, reader.Expired, true, false},
	} {
		for _, at := range []time.Duration{3 * time.Second, late} { // a confirmation in time may become known late
			before := states[c.state]
			r := events[c.event](before, after(at))
			got := row{c.state, c.event, r.StatusAt(after(3 * time.Second)), r.StatusAt(after(5 * time.Minute)),
				r.StatusAt(after(late)), r.Settled(), r != before}
			if got != c {
				t.Errorf("after %s: got %+v, want %+v", at, got, c)
			}
			wantAt := before.UpdatedAt
			if c.changed {
				wantAt = after(at)
			}
			if !r.UpdatedAt.Equal(wantAt) {
				t.Errorf("%s, %s: got updated at %s, want %s", c.state, c.event, r.UpdatedAt, wantAt)
			}
		}
	}
}

// TestConfirm checks that the reader gets a service account, which is the same each time.
func TestConfirm(t *testing.T) {
	t.Parallel()
	uuid := regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)
	a, again := processing().Confirm(after(time.Second)), processing().Confirm(after(time.Minute))
	other := reader.New("rdr_2", "VS0123456789", "solo", reader.Given{}, start).Confirm(start)
	if !uuid.MatchString(a.ServiceAccountID) || again.ServiceAccountID != a.ServiceAccountID ||
		other.ServiceAccountID == a.ServiceAccountID {
		t.Errorf("got accounts %q, %q and %q, want the same UUID of one reader, and another of another",
			a.ServiceAccountID, again.ServiceAccountID, other.ServiceAccountID)
	}
	if p := processing(); p.ServiceAccountID != "" || !p.ConfirmUntil().Equal(after(5*time.Minute)) {
		t.Errorf("got %+v until %s, want no account until it is confirmed, within 5 minutes", p, p.ConfirmUntil())
	}
}

func TestReader_DefaultName(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ given, serial, want string }{
		{"Till 1", "VS0123456789", "Till 1"}, {" Till ", "VS0123456789", " Till "}, {"", "VS0123456789", "Reader 6789"},
		{"  ", "VS0123456789", "Reader 6789"}, {"", "123", "Reader 123"}, {"", "1234", "Reader 1234"},
	} {
		made := reader.New("rdr_1", c.serial, "solo", reader.Given{Name: c.given}, start)
		renamed := reader.Change{Name: &c.given}.Apply(reader.New("rdr_1", c.serial, "solo", reader.Given{Name: "x"}, start),
			start)
		if made.Name != c.want || renamed.Name != c.want {
			t.Errorf("%q of %s: got %q, and %q by an update, want %q", c.given, c.serial, made.Name, renamed.Name, c.want)
		}
	}
}

func TestChange(t *testing.T) {
	t.Parallel()
	before := processing()
	before.Metadata = `{"a":1}`
	name, same, other, none := "Bar", "Till", member.Metadata(`{"b":2}`), member.Metadata("")
	for what, c := range map[string]struct {
		change   reader.Change
		name     string
		metadata member.Metadata
		changed  bool
	}{
		"nothing":      {reader.Change{}, "Till", `{"a":1}`, false},
		"a name":       {reader.Change{Name: &name}, "Bar", `{"a":1}`, true},
		"the same":     {reader.Change{Name: &same, Metadata: &before.Metadata}, "Till", `{"a":1}`, false},
		"metadata":     {reader.Change{Metadata: &other}, "Till", `{"b":2}`, true},
		"no metadata":  {reader.Change{Metadata: &none}, "Till", "", true},
		"all of it":    {reader.Change{Name: &name, Metadata: &none}, "Bar", "", true},
		"half of it":   {reader.Change{Name: &same, Metadata: &other}, "Till", `{"b":2}`, true},
		"another half": {reader.Change{Name: &name, Metadata: &before.Metadata}, "Bar", `{"a":1}`, true},
	} {
		want := before
		want.Name, want.Metadata = c.name, c.metadata
		if c.changed {
			want.UpdatedAt = after(time.Hour)
		}
		if diff := cmp.Diff(want, c.change.Apply(before, after(time.Hour))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
}

func TestID(t *testing.T) {
	t.Parallel()
	form := regexp.MustCompile(`^rdr_[0-9a-z]{26}$`)
	seen := map[string]bool{}
	for i := range 100 {
		id := reader.ID(fmt.Sprint(i))
		if !form.MatchString(id) || seen[id] || id != reader.ID(fmt.Sprint(i)) {
			t.Errorf("operation %d: got %s, want an id of its own, the same each time", i, id)
		}
		seen[id] = true
	}
}

// TestShowsCodes checks the models of contract §2.7 and an unknown model (contract §13.9).
func TestShowsCodes(t *testing.T) {
	t.Parallel()
	for model, want := range map[string]bool{"solo": true, "virtual-solo": true, "air": false, "": false} {
		if got := reader.New("rdr_1", "S1", model, reader.Given{}, start).ShowsCodes(); got != want {
			t.Errorf("%q: got %t, want %t", model, got, want)
		}
	}
}

// TestWithMenuLock checks that the terminal's report is recorded, and that the same report changes nothing.
func TestWithMenuLock(t *testing.T) {
	t.Parallel()
	for _, before := range []*bool{nil, new(false), new(true)} {
		for _, said := range []*bool{nil, new(false), new(true)} {
			r := processing()
			r.MenuLock = before
			got := r.WithMenuLock(said)
			same := (before == nil) == (said == nil) && (said == nil || *before == *said)
			if diff := cmp.Diff(said, got.MenuLock); diff != "" || (got == r) != same {
				t.Errorf("after %v: kept %t, want %t (-want +got):\n%s", before, got == r, same, diff)
			}
		}
	}
}
