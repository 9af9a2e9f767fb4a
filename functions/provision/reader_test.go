package provision_test

import (
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/shared/terminal"
)

// pairReader pairs a virtual reader with a merchant in test mode.
func (d operator) pairReader(m provisioned, id string) {
	d.Helper()
	if _, err := d.App.Virtual.Pair(d.Context(), terminal.Pairing{ID: id, Code: "A1B2C3D4", Tenant: "T#" + m.Code,
		Until: d.Clock.Now().Add(5 * time.Minute)}); err != nil {
		d.Fatal(err)
	}
}

func (d operator) wantOnline(reader string, want bool) {
	d.Helper()
	if h, err := d.App.Virtual.Heartbeat(d.Context(), reader); err != nil || h.Online != want {
		d.Errorf("got online %t, error %v, want online %t", h.Online, err, want)
	}
}

func TestSetReaderOffline(t *testing.T) {
	t.Parallel()
	d := newOperator(t)
	m, other := d.createMerchant(nil),
		d.createMerchant(fields{"name": "Anderer", "email": "anderer@example.com", "sandbox": false})
	const reader = "rdr_0123456789ABCDEFGHJKMNPQRS"
	d.pairReader(m, reader)
	set := fields{"command": "set_reader_offline", "merchant_code": m.Code, "mode": "test", "reader_id": reader}
	for _, offline := range []bool{true, true, false, false} {
		got := run[struct {
			ReaderID string `json:"reader_id"`
			Offline  bool
		}](d, with(set, fields{"offline": offline}))
		if got.ReaderID != reader || got.Offline != offline {
			t.Errorf("got %+v, want the reader and offline %t", got, offline)
		}
		d.wantOnline(reader, !offline)
	}
	offline := with(set, fields{"offline": true})
	for _, c := range []struct {
		changes     fields
		code, param string
	}{
		{fields{"merchant_code": other.Code}, "NOT_FOUND", ""},
		{fields{"reader_id": "rdr_none"}, "NOT_FOUND", ""},
		{fields{"mode": "live", "merchant_code": other.Code}, "NOT_FOUND", ""},
		{fields{"mode": "live"}, "INVALID", "mode"},
		{fields{"mode": "tests"}, "INVALID", "mode"},
		{fields{"offline": nil}, "MISSING", "offline"},
		{fields{"reader_id": nil}, "MISSING", "reader_id"},
		{fields{"offline": "yes"}, "INVALID", "offline"},
	} {
		d.checkRefused(with(offline, c.changes), c.code, c.param)
	}
	d.wantOnline(reader, true)
}
