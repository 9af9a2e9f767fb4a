package readers_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/reader"
)

func TestCreateReader_Valid(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	var made []cardReader
	for i, c := range []struct {
		more fields
		name string // "" for the default name
		meta string
	}{
		{fields{"name": "Counter", "metadata": fields{"floor": 1}}, "Counter", `{"floor":1}`},
		{fields{"meta": fields{"a": []int{1}}}, "", `{"a":[1]}`},
		{fields{"meta": fields{"a": 1}, "metadata": fields{"b": 2}}, "", `{"b":2}`},
		{fields{"meta": fields{"a": 1}, "metadata": fields{}}, "", ""},
		{fields{"meta": fields{"a": 1}, "metadata": nil, "name": nil}, "", `{"a":1}`},
		{fields{"name": "", "id": "rdr_x", "status": "paired"}, "", ""},
		{fields{"name": strings.Repeat("ä", 500)}, strings.Repeat("ä", 500), ""},
	} {
		s.Clock.Advance(time.Second)
		c.more["pairing_code"] = fmt.Sprintf("aB3dE6g%d", i)
		got := s.shown(201, s.Send("POST", s.ReadersPath(), c.more))
		serial := got.Device.Identifier
		if c.name == "" {
			c.name = "Reader " + serial[len(serial)-4:]
		}
		want := cardReader{ID: got.ID, Name: c.name, Status: "processing", Device: device{serial, "virtual-solo"},
			CreatedAt: s.ShownNow(), UpdatedAt: s.ShownNow()}
		if c.meta != "" {
			want.Meta, want.Metadata = json.RawMessage(c.meta), json.RawMessage(c.meta)
		}
		if diff := cmp.Diff(want, got); diff != "" || !regexp.MustCompile(`^rdr_[0-9a-z]{26}$`).MatchString(got.ID) {
			t.Errorf("%v: id %s (-want +got):\n%s", c.more, got.ID, diff)
		}
		made = append(made, got)
	}
	s.Clock.Advance(2 * time.Second)
	uuid := regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)
	listed := s.list()
	for i, r := range listed {
		if !uuid.MatchString(r.ServiceAccount) || i >= len(made) {
			t.Fatalf("got %+v, want its account, and %d readers", r, len(made))
		}
		made[i].Status, made[i].ServiceAccount, made[i].UpdatedAt = "paired", r.ServiceAccount, s.ShownNow()
	}
	if diff := cmp.Diff(made, listed); diff != "" {
		t.Errorf("listed (-want +got):\n%s", diff)
	}
	for _, r := range made {
		read := world.Request{Method: "GET", Path: s.path(r.ID),
			Header: map[string]string{"If-Modified-Since": s.ShownNow().Add(time.Hour).Format(http.TimeFormat)}}
		if diff := cmp.Diff(r, s.shown(200, s.Do(read))); diff != "" {
			t.Errorf("read (-want +got):\n%s", diff)
		}
	}
}

func TestCreateReader_Refused(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	many := fields{}
	for i := range 65 {
		many[fmt.Sprint(i)] = 1
	}
	for what, c := range map[string]struct {
		body any
		want world.Refusal
	}{
		"no code":             {fields{"name": "x"}, world.Missing("pairing_code")},
		"null":                {fields{"pairing_code": nil}, world.Missing("pairing_code")},
		"nothing":             {nil, world.Missing("pairing_code")},
		"an empty code":       {fields{"pairing_code": ""}, world.Missing("pairing_code")},
		"a number":            {fields{"pairing_code": 12345678}, world.Invalid("pairing_code")},
		"a short code":        {fields{"pairing_code": "1234567"}, world.Invalid("pairing_code")},
		"a long code":         {fields{"pairing_code": "1234567890"}, world.Invalid("pairing_code")},
		"a code with a blank": {fields{"pairing_code": "1234 678"}, world.Invalid("pairing_code")},
		"a foreign letter":    {fields{"pairing_code": "1234567ä"}, world.Invalid("pairing_code")},
		"a long name": {fields{"pairing_code": "12345678", "name": strings.Repeat("ä", 501)},
			world.Invalid("name")},
		"a control character": {fields{"pairing_code": "12345678", "name": "a\u0000"}, world.Invalid("name")},
		"metadata of text":    {fields{"pairing_code": "12345678", "metadata": "x"}, world.Invalid("metadata")},
		"meta of a list":      {fields{"pairing_code": "12345678", "meta": []int{1}}, world.Invalid("meta")},
		"metadata of 65 keys": {fields{"pairing_code": "12345678", "metadata": many}, world.Invalid("metadata")},
		"a long key": {fields{"pairing_code": "12345678", "meta": fields{strings.Repeat("k", 65): 1}},
			world.Invalid("meta")},
		"too much of metadata": {fields{"pairing_code": "12345678", "metadata": fields{"k": strings.Repeat("x", 4096)}},
			world.Invalid("metadata")},
		"no terminal":        {fields{"pairing_code": "FAIL1234"}, notFound},
		"no terminal, lower": {fields{"pairing_code": "fail12345"}, notFound},
		"not pending":        {fields{"pairing_code": "busy1234"}, conflict},
	} {
		got := s.Send("POST", s.ReadersPath(), c.body)
		if c.want.Check(t, got); t.Failed() {
			t.Fatalf("%s: got %d %s", what, got.Status, got.Body)
		}
	}
	if got := s.list(); len(got) != 0 {
		t.Errorf("got %+v, want no reader", got)
	}
}

// TestReader_Expires checks that a reader expires five minutes after the pairing, unless the terminal has confirmed.
// Reads do not change that.
func TestReader_Expires(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	waits := s.pair("WAIT1234")
	s.Clock.Advance(time.Second)
	unread := s.pair("12345678")
	s.Clock.Advance(5*time.Minute - time.Second)
	if got := s.get(waits.ID); got.Status != "processing" {
		t.Errorf("after 5 min: got %+v, want it processing", got)
	}
	s.Clock.Advance(time.Second)
	got := []string{s.get(waits.ID).Status, s.list()[0].Status, s.get(waits.ID).Status, s.get(unread.ID).Status}
	if diff := cmp.Diff([]string{"expired", "expired", "expired", "paired"}, got); diff != "" {
		t.Errorf("later (-want +got):\n%s", diff)
	}
	if got := s.get(waits.ID); got.ServiceAccount != "" {
		t.Errorf("got %+v, want no account", got)
	}
	again := s.pair("WAIT1234")
	if again.ID == waits.ID || again.Device != waits.Device || s.get(waits.ID).Status != "expired" {
		t.Errorf("got %+v, want another reader of the same terminal", again)
	}
}

// TestCreateReader_PairedAgain checks that a new pairing of a terminal ends the former reader, but only if the former
// reader belongs to the same merchant and mode.
func TestCreateReader_PairedAgain(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	other := shop{s.NewShop("DE", "EUR", nil)}
	first, stranger, second := s.pairConfirmed("12345678"), other.pairConfirmed("12345678"), s.pairConfirmed("23456789")
	if first.Device == stranger.Device {
		t.Fatalf("got %+v of two merchants, want terminals of their own", first.Device)
	}
	again := s.pair("12345678")
	got := map[string]string{}
	for _, r := range append(s.list(), other.list()...) {
		got[r.ID] = r.Status
	}
	want := map[string]string{first.ID: "expired", second.ID: "paired", again.ID: "processing", stranger.ID: "paired"}
	if diff := cmp.Diff(want, got); diff != "" || again.ID == first.ID || again.Device != first.Device {
		t.Errorf("%+v (-want +got):\n%s", again, diff)
	}
	s.wantEmpty("delete the first", s.Send("DELETE", s.path(first.ID), nil))
	s.Clock.Advance(2 * time.Second)
	if got := s.get(again.ID); got.Status != "paired" {
		t.Errorf("got %+v, want it paired whatever becomes of the first", got)
	}
}

func TestUpdateReader_EachField(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	r := s.pairConfirmed("12345678")
	for _, c := range []struct {
		body       any
		name, meta string
	}{
		{fields{"name": "Bar"}, "Bar", ""},
		{fields{"metadata": fields{"a": 1, "b": fields{"c": nil}}}, "Bar", `{"a":1,"b":{"c":null}}`},
		{nil, "Bar", `{"a":1,"b":{"c":null}}`},
		{fields{"name": nil, "metadata": nil}, "Bar", `{"a":1,"b":{"c":null}}`},
		{fields{"status": "expired", "id": "x", "device": fields{}}, "Bar", `{"a":1,"b":{"c":null}}`},
		{fields{"meta": fields{"d": 2}}, "Bar", `{"d":2}`},
		{fields{"meta": fields{"e": 1}, "metadata": fields{"f": 1}}, "Bar", `{"f":1}`},
		{fields{"metadata": fields{}}, "Bar", ""},
		{fields{"name": " "}, "Reader " + r.Device.Identifier[len(r.Device.Identifier)-4:], ""},
	} {
		s.Clock.Advance(time.Second)
		want := r
		want.Name, want.Meta, want.Metadata = c.name, nil, nil
		if c.meta != "" {
			want.Meta, want.Metadata = json.RawMessage(c.meta), json.RawMessage(c.meta)
		}
		if !cmp.Equal(want, r) {
			want.UpdatedAt = s.ShownNow()
		}
		for range 2 { // the second, equal update changes nothing
			r = s.shown(200, s.Send("PATCH", s.path(r.ID), c.body))
			if diff := cmp.Diff(want, r); diff != "" || !cmp.Equal(r, s.get(r.ID)) {
				t.Errorf("%v: kept %t (-want +got):\n%s", c.body, diff == "", diff)
			}
			s.Clock.Advance(time.Second)
		}
	}
	for body, param := range map[string]string{`{"name":1}`: "name", `{"metadata":[1]}`: "metadata",
		`{"meta":"x"}`: "meta", `{"name":"` + strings.Repeat("x", 501) + `"}`: "name"} {
		world.Invalid(param).Check(t, s.Send("PATCH", s.path(r.ID), json.RawMessage(body)))
	}
	if got := s.get(r.ID); !cmp.Equal(r, got) {
		t.Errorf("after refused updates: got %+v, want %+v", got, r)
	}
}

func TestRetrieveReaderStatus_EachState(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	status := func(id string) fields {
		return world.Into[struct{ Data map[string]any }](t, 200, s.Send("GET", s.path(id)+"/status", nil)).Data
	}
	r := s.pair("12345678")
	s.Clock.Advance(2 * time.Second)
	on := status(r.ID)
	for name, want := range map[string]any{"status": "ONLINE", "state": "IDLE", "connection_type": "Wi-Fi",
		"last_activity": s.ShownNow().Format("2006-01-02T15:04:05.000Z07:00")} {
		if on[name] != want {
			t.Errorf("%s: got %v, want %v", name, on[name], want)
		}
	}
	if got := s.get(r.ID); got.Status != "paired" {
		t.Errorf("got %+v, want it paired", got)
	}
	if err := s.App.Virtual.SetOffline(t.Context(), s.Tenant().String(), r.ID, true); err != nil {
		t.Fatal(err)
	}
	if got := status(r.ID); got["status"] != "OFFLINE" {
		t.Errorf("offline: got %v", got)
	}
	s.unpairAtTerminal(r.ID)
	for range 2 {
		if diff := cmp.Diff(fields{"status": "OFFLINE"}, status(r.ID)); diff != "" {
			t.Errorf("unpaired (-want +got):\n%s", diff)
		}
	}
	if got := s.get(r.ID); got.Status != "expired" {
		t.Errorf("unpaired at the terminal: got %+v, want it expired", got)
	}
	got := s.Send("GET", s.path("rdr_none")+"/status", nil)
	notFound.Check(t, got)
	if got.Text("errors.detail") == "" {
		t.Errorf("got %s, want errors.detail", got.Body)
	}
	unknown := s.as("sk_test_unknown").Send("GET", s.path(r.ID)+"/status", nil)
	if unknown.Status != 401 || unknown.Text("errors.type") != "INVALID_ACCESS_TOKEN" {
		t.Errorf("got %d %s, want 401 with errors.type", unknown.Status, unknown.Body)
	}
}

// TestDeleteReader_PairedAgain checks that a deleted reader is gone, and that its terminal can become another reader.
func TestDeleteReader_PairedAgain(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	r, kept := s.pairConfirmed("12345678"), s.pairConfirmed("23456789")
	s.wantEmpty("delete", s.Send("DELETE", s.path(r.ID), nil))
	for _, got := range []world.Response{s.Send("GET", s.path(r.ID), nil),
		s.Send("PATCH", s.path(r.ID), fields{"name": "x"}), s.Send("DELETE", s.path(r.ID), nil),
		s.Send("GET", s.path(r.ID)+"/status", nil),
		s.Send("DELETE", s.path("x"), nil)} {
		notFound.Check(t, got)
	}
	if diff := cmp.Diff([]cardReader{kept}, s.list()); diff != "" {
		t.Errorf("left (-want +got):\n%s", diff)
	}
	if again := s.pair("12345678"); again.ID == r.ID || again.Device != r.Device {
		t.Errorf("got %+v, want another reader of the terminal", again)
	}
}

// TestCreateReader_Limit checks concurrent requests at the limit of readers. Expired readers count towards the limit,
// and deleted readers do not.
func TestCreateReader_Limit(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	for i := range reader.MaxReaders - 1 {
		s.pair(fmt.Sprintf("WAIT%04d", i))
	}
	s.Clock.Advance(time.Hour)
	got := map[int]int{}
	answers := make(chan world.Response)
	for i := range 4 {
		go func() { answers <- s.Send("POST", s.ReadersPath(), fields{"pairing_code": fmt.Sprintf("LAST%04d", i)}) }()
	}
	for range 4 {
		answer := <-answers
		if got[answer.Status]++; answer.Status != http.StatusCreated {
			conflict.Check(t, answer)
		}
	}
	all := s.list()
	if got[201] != 1 || got[409] != 3 || len(all) != reader.MaxReaders {
		t.Errorf("got answers %v and %d readers, want one 201, three 409 and %d", got, len(all), reader.MaxReaders)
	}
	conflict.Check(t, s.Send("POST", s.ReadersPath(), fields{"pairing_code": "12345678"}))
	s.wantEmpty("delete", s.Send("DELETE", s.path(all[0].ID), nil))
	s.pair("12345678")
}

// TestReader_Modes checks that live mode has no terminals, and that neither mode sees the other's readers.
func TestReader_Modes(t *testing.T) {
	t.Parallel()
	live, test := newShop(t).live()
	r := test.pairConfirmed("12345678")
	notFound.Check(t, live.Send("POST", live.ReadersPath(), fields{"pairing_code": "12345678"}))
	for _, got := range []world.Response{live.Send("GET", live.path(r.ID), nil),
		live.Send("DELETE", live.path(r.ID), nil), live.Send("PATCH", live.path(r.ID), fields{"name": "x"}),
		live.Send("GET", live.path(r.ID)+"/status", nil)} {
		notFound.Check(t, got)
	}
	if got := live.list(); len(got) != 0 {
		t.Errorf("got %+v, want none", got)
	}
	if diff := cmp.Diff([]cardReader{r}, test.list()); diff != "" {
		t.Errorf("test mode (-want +got):\n%s", diff)
	}
}

func TestScopes_EachOperation(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	for name, c := range map[string]struct {
		credential  string
		reads       bool
		writes      bool
		readsStatus bool
	}{
		"readers.read":       {s.NewKey("secret", "readers.read"), true, false, true},
		"readers.write":      {s.NewKey("secret", "readers.write"), false, true, false},
		"terminals.read":     {s.NewKey("secret", "terminals.read"), true, false, false},
		"terminals.write":    {s.NewKey("secret", "terminals.write"), false, true, false},
		"all else":           {s.NewKey("secret", "payments", "user.subaccounts"), false, false, false},
		"a public key":       {s.NewKey("public"), false, false, false},
		"a client":           {s.Token(), true, true, true},
		"the owner":          {s.TokenOf(s.Owner()), true, true, true},
		"the owner, by less": {s.TokenOf(s.Owner(), "readers.read"), true, false, true},
		"a test profile": {s.Token(func(t *identity.AccessToken) { t.Kind, t.Client = identity.TestProfile, "app_1" }),
			true, true, true},
	} {
		r := s.pair("12345678")
		by := s.as(c.credential)
		allowed := map[string]bool{"GET " + s.ReadersPath(): c.reads, "GET " + s.path(r.ID): c.reads,
			"GET " + s.path(r.ID) + "/status": c.readsStatus, "POST " + s.ReadersPath(): c.writes,
			"PATCH " + s.path(r.ID): c.writes, "DELETE " + s.path(r.ID): c.writes}
		for request, may := range allowed {
			method, path, _ := strings.Cut(request, " ")
			if method == "DELETE" {
				path = s.path(s.pair("23456789").ID)
			}
			if got := by.Send(method, path, fields{"pairing_code": "34567891"}); !may {
				notAllowed.Check(t, got)
			} else if got.Status/100 != 2 {
				t.Errorf("%s, %s: got %d %s, want it done", name, request, got.Status, got.Body)
			}
		}
	}
	other := shop{s.NewShop("DE", "EUR", nil)}
	r := s.pair("12345678")
	for _, path := range []string{s.path(r.ID), other.path(r.ID)} {
		for _, method := range []string{"GET", "PATCH", "DELETE"} {
			notFound.Check(t, other.Send(method, path, nil))
		}
		notFound.Check(t, other.Send("GET", path+"/status", nil))
	}
	notFound.Check(t, other.Send("GET", s.ReadersPath(), nil))
	notFound.Check(t, other.Send("POST", s.ReadersPath(), fields{"pairing_code": "12345678"}))
	if got := s.get(r.ID); got.Status != "processing" {
		t.Errorf("got %+v, want it as it was", got)
	}
}
