package rest_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/shared/rest"
)

// TestMarshalJSON_DateTimes checks the forms of contract §2.4.
func TestMarshalJSON_DateTimes(t *testing.T) {
	t.Parallel()
	berlin, saoPaulo := time.FixedZone("CET", 3600), time.FixedZone("BRT", -3*3600)
	at := time.Date(2020, 2, 29, 10, 56, 56, 876_999_999, time.UTC)
	whole := time.Date(2020, 2, 29, 0, 30, 0, 0, berlin) // still the day before in UTC
	for want, value := range map[string]any{
		`"2020-02-29T10:56:56.876+00:00"`: rest.Instant(at),
		`"2020-02-28T23:30:00.000+00:00"`: rest.Instant(whole),
		`"2020-02-29T10:56:56.876Z"`:      rest.Timestamp(at),
		`"2020-02-28T23:30:00.000Z"`:      rest.Timestamp(whole),
		`"2020-02-29T11:56:56.876+01:00"`: rest.Local(at, berlin),
		`"2020-02-29T07:56:56.876-03:00"`: rest.Local(at, saoPaulo),
		`"2020-02-28T23:30:01.000+00:00"`: rest.Local(whole.Add(time.Second), time.UTC),
		`"2020-02-29"`:                    rest.DateOf(whole),
		`"2020-02-28"`:                    rest.DateOf(whole.UTC()),
		`"0987-06-05"`:                    rest.Date{Year: 987, Month: 6, Day: 5},
	} {
		if got, err := json.Marshal(value); err != nil || string(got) != want {
			t.Errorf("%T: got %s (%v), want %s", value, got, err, want)
		}
	}
}

// TestDate_MarshalImpossibleDay checks that a day that does not exist gives a 500, because it would break clients.
func TestDate_MarshalImpossibleDay(t *testing.T) {
	t.Parallel()
	for _, d := range []rest.Date{{}, {Year: 2026, Month: 2, Day: 29}, {Year: 10000, Month: 1, Day: 1}} {
		f := newFixture(t, []rest.Route{route("GET", "/day", give(d))})
		if w := f.ask("GET", "/day", ""); w.Code != 500 {
			t.Errorf("%v: got %d %s, want 500", d, w.Code, w.Body)
		}
	}
}

// period is a request with dates and times of all kinds.
type period struct {
	Since *time.Time `query:"since" json:"-"`
	Day   rest.Date  `query:"day" json:"-"`
	Birth rest.Date  `json:"birth_date"`
	Text  string     `query:"text" json:"-"`
}

func formatPeriod(_ context.Context, in period) (textResponse, error) {
	text := in.Day.String() + " " + in.Birth.String() + " " + in.Text
	if in.Since != nil {
		text = in.Since.Format(time.RFC3339Nano)
	}
	return textResponse{text}, nil
}

func TestDecode_DateTimes(t *testing.T) {
	t.Parallel()
	f := newFixture(t, []rest.Route{route("POST", "/period", formatPeriod)})
	for query, want := range map[string]string{
		"2026-01-01T00:00:00Z":                "2026-01-01T00:00:00Z",
		"2026-01-01T00:00:00.000Z":            "2026-01-01T00:00:00Z",
		"2026-01-01T00:00:00.123456Z":         "2026-01-01T00:00:00.123456Z",
		"2026-01-01T00:00:00%2B01:00":         "2025-12-31T23:00:00Z",
		"2026-01-01T00%3A00%3A00%2B01%3A00":   "2025-12-31T23:00:00Z",
		"2026-01-01T00:00:00.5-03:30":         "2026-01-01T03:30:00.5Z",
		"2026-01-01T00:00:00+01:00":           "2025-12-31T23:00:00Z", // an unescaped +, which arrives as a space
		"2026-01-01T00:00:00.25%2001:00":      "2025-12-31T23:00:00.25Z",
		"9999-12-31T23:59:59%2B00:00":         "9999-12-31T23:59:59Z",
		"2026-01-01T00:00:00.123456789-00:00": "2026-01-01T00:00:00.123456789Z",
		"2026-01-01t00:00:00z":                "2026-01-01T00:00:00Z",
		"2026-01-01T00:00:00.5":               "2026-01-01T00:00:00.5Z",
	} {
		if w := f.ask("POST", "/period?since="+query, ""); w.Code != 200 || decodeObject(t, w)["text"] != want {
			t.Errorf("%s: got %d %s, want 200 %s", query, w.Code, w.Body, want)
		}
	}
	for _, query := range []string{
		"2026-01-01T00:00:00%2B0000", "2026-01-01T00:00:00+0000", "2026-01-01T00:00", "2026-01-01", "+01:00", "01:00",
		"today", "1793491200",
		"2026-01-01+00:00:00+01:00", "2026-01-01T00:00:00++01:00", "2026-01-01T00:00:00Z+01:00", "2026-02-29T00:00:00Z",
		"%20", "2026-01-01T0:00:00Z", "2026-01-01T00:00:00,5Z",
		"9999-12-31T23:59:59-01:00", "0000-01-01T00:00:00%2B01:00", "2026-01-01T24:00:00Z", "2026-01-01T00:00:00%2B25:00",
	} {
		want := invalidError("since", "must be a date-time, such as 2020-02-29T10:56:56Z or 2020-02-29T11:56:56+01:00.")
		if diff := cmp.Diff(want, errorOf(t, f.ask("POST", "/period?since="+query, ""))); diff != "" {
			t.Errorf("%s: -want +got:\n%s", query, diff)
		}
	}
}

func TestDecode_Dates(t *testing.T) {
	t.Parallel()
	f := newFixture(t, []rest.Route{route("POST", "/period", formatPeriod)})
	const rule = "must be a date, YYYY-MM-DD."
	w := f.ask("POST", "/period", `{"birth_date":"2024-02-29"}`)
	if got, want := decodeObject(t, w)["text"], "0000-00-00 2024-02-29 "; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	// Only in a date-time does a space count as +.
	w = f.ask("POST", "/period?day=2026-02-28&text=a+b+01:00", "")
	if got, want := decodeObject(t, w)["text"], "2026-02-28 0000-00-00 a b 01:00"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	for _, text := range []string{
		"2026-1-2", "2026-01-2", "26-01-02", "20260102", "2026/01/02", "2026-01-02T00:00:00Z", "02-01-2026", "2026-02-29",
		"2026-13-01", "2026-00-01",
		"2026-01-00", " 2026-01-02", "2026-01-02 ", "-026-01-02", "+026-01-02", "today",
	} {
		got := errorOf(t, f.ask("POST", "/period", `{"birth_date":"`+text+`"}`))
		if diff := cmp.Diff(invalidError("birth_date", rule), got); diff != "" {
			t.Errorf("body %q: -want +got:\n%s", text, diff)
		}
	}
	for _, query := range []string{"2026-1-2", "2026-02-29", "2026-01-02+", "+"} {
		if diff := cmp.Diff(invalidError("day", rule), errorOf(t, f.ask("POST", "/period?day="+query, ""))); diff != "" {
			t.Errorf("query %q: -want +got:\n%s", query, diff)
		}
	}
	if w := f.ask("POST", "/period", `{"birth_date":20260102}`); decodeObject(t, w)["param"] != "birth_date" {
		t.Errorf("a number: got %d %s, want an error of birth_date", w.Code, w.Body)
	}
}
