package storedtest

import (
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/shared/money"
)

type inner struct{ Name, Other string }

type sample struct {
	inner
	Text    string
	Flag    bool
	Count   int
	Number  int64
	Share   float64
	Bytes   []byte
	At      *time.Time
	Amounts []money.Amount
	Parts   []inner
}

func TestFill_DistinctValues(t *testing.T) {
	t.Parallel()
	f := &Filler{}
	one, other := Fill[sample](t, f), Fill(t, f, func(s *sample) { s.Text = "chosen" })
	for name, s := range map[string]sample{"one": one, "other": other} {
		if got := zeros(reflect.ValueOf(s), name); got != nil {
			t.Errorf("got %v not set, want all set", got)
		}
	}
	if other.Text != "chosen" {
		t.Errorf("got text %q, want chosen", other.Text)
	}
	texts := map[string]bool{}
	for _, s := range []sample{one, other} {
		for _, text := range []string{s.Name, s.Other, s.Text, s.Parts[0].Name, s.Parts[1].Name, s.Amounts[0].String(),
			s.Amounts[1].String(), s.At.String()} {
			if texts[text] {
				t.Errorf("got %q twice, want each text once", text)
			}
			texts[text] = true
		}
	}
}

func TestZeros_AnyDepth(t *testing.T) {
	t.Parallel()
	s := Fill[sample](t, &Filler{})
	s.Flag, s.Parts[1].Other, s.inner = false, "", inner{Name: "set"}
	*s.At = time.Time{}
	want := []string{"s.inner.Other", "s.Flag", "s.At", "s.Parts[1].Other"}
	if diff := cmp.Diff(want, zeros(reflect.ValueOf(s), "s")); diff != "" {
		t.Errorf("zeros (-want +got):\n%s", diff)
	}
}

func TestFill_UnsupportedType(t *testing.T) {
	t.Parallel()
	for _, v := range []any{&struct{ F func() }{}, &struct{ hidden string }{}, &struct{ M chan string }{}} {
		if err := (&Filler{}).fill(reflect.ValueOf(v).Elem(), "v"); err == nil {
			t.Errorf("%T: got no error, want one", v)
		}
	}
}
