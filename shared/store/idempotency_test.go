package store_test

import (
	"bytes"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"

	"github.com/cashwrap/cashwrap/localstack/aws/engines/enginetest"
	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/localstack/platform/clock"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/store"
)

// openTable returns a store on a new table.
func openTable(t *testing.T, clock *clock.Clock, client aws.HTTPClient) *store.Store {
	t.Helper()
	s := store.Open(store.Config{
		Table: "cashwrap", Region: "eu-central-1", Endpoint: enginetest.Table(t),
		Credentials: credentials.NewStaticCredentialsProvider(enginetest.AccessKey(t), "none", ""),
		HTTP:        client, MaxBackoff: time.Millisecond, Now: clock.Now,
	})
	if err := s.CreateTable(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s
}

var claimant = store.IdempotencyClaim{
	Tenant: identity.Tenant{Mode: identity.Test, Merchant: "MC1"},
	Name:   "order 1", Fingerprint: "f", Owner: "first",
}

func claimBy(owner string) store.IdempotencyClaim {
	c := claimant
	c.Owner = owner
	return c
}

func wantState(t *testing.T, s *store.Store, c store.IdempotencyClaim, want store.IdempotencyState, reply string) {
	t.Helper()
	state, sealed, err := s.ClaimIdempotency(t.Context(), c)
	if err != nil || state != want || string(sealed) != reply {
		t.Errorf("claim by %s: got state %d, reply %q, error %v; want %d, %q", c.Owner, state, sealed, err, want, reply)
	}
}

func TestClaimIdempotency_States(t *testing.T) {
	t.Parallel()
	clock := clock.New()
	s := openTable(t, clock, nil)
	different := claimBy("second")
	different.Fingerprint = "g"
	elsewhere := claimBy("second")
	elsewhere.Tenant.Mode = identity.Live

	wantState(t, s, claimant, store.Claimed, "")
	wantState(t, s, claimBy("second"), store.Running, "")
	wantState(t, s, different, store.Reused, "")
	wantState(t, s, elsewhere, store.Claimed, "")

	if owned, err := s.SettleIdempotency(t.Context(), claimant, []byte("sealed")); !owned || err != nil {
		t.Fatalf("settle: got owned %t, %v, want true", owned, err)
	}
	wantState(t, s, claimBy("second"), store.Settled, "sealed")
	wantState(t, s, claimant, store.Settled, "sealed") // the first request claims again
	wantState(t, s, different, store.Reused, "")

	clock.Advance(31*24*time.Hour - time.Second)
	wantState(t, s, claimBy("second"), store.Settled, "sealed")
	clock.Advance(time.Second)
	wantState(t, s, different, store.Claimed, "")
}

func TestClaimIdempotency_ExpiresAfterSixtySeconds(t *testing.T) {
	t.Parallel()
	clock := clock.New()
	s := openTable(t, clock, nil)
	wantState(t, s, claimant, store.Claimed, "")
	clock.Advance(60*time.Second - time.Millisecond)
	wantState(t, s, claimBy("second"), store.Running, "")
	clock.Advance(time.Millisecond)
	wantState(t, s, claimBy("second"), store.Claimed, "")

	// The first request continues: its reply is no longer stored.
	if owned, err := s.SettleIdempotency(t.Context(), claimant, []byte("late")); owned || err != nil {
		t.Errorf("settle after a takeover: got owned %t, %v, want false", owned, err)
	}
	if owned, err := s.ReleaseIdempotency(t.Context(), claimant); owned || err != nil {
		t.Errorf("release after a takeover: got owned %t, %v, want false", owned, err)
	}
	wantState(t, s, claimBy("third"), store.Running, "")
}

func TestReleaseIdempotency(t *testing.T) {
	t.Parallel()
	s := openTable(t, clock.New(), nil)
	wantState(t, s, claimant, store.Claimed, "")
	if owned, err := s.ReleaseIdempotency(t.Context(), claimant); !owned || err != nil {
		t.Fatalf("release: got owned %t, %v, want true", owned, err)
	}
	different := claimBy("second")
	different.Fingerprint = "g"
	wantState(t, s, different, store.Reused, "")
	wantState(t, s, claimBy("second"), store.Claimed, "")
}

func TestClaimIdempotency_LostReply(t *testing.T) {
	t.Parallel()
	// The SDK repeats after one lost reply. Three lost replies exhaust its tries, and then the store reads its own record.
	for _, lost := range []int{1, 3} {
		wire := &faults.Wire{Send: enginetest.Do}
		s := openTable(t, clock.New(), wire)
		wire.Inject(faults.Times(lost, "PutItem", faults.LoseReply))
		wantState(t, s, claimant, store.Claimed, "")
		wantState(t, s, claimBy("second"), store.Running, "")
	}
}

func TestClaimIdempotency_HidesKey(t *testing.T) {
	t.Parallel()
	var seen recordedBodies
	s := openTable(t, clock.New(), &seen)
	wantState(t, s, claimant, store.Claimed, "")
	if bytes.Contains(seen.all.Bytes(), []byte(claimant.Name)) {
		t.Errorf("got %q in what was written, want no key of the client's in it", claimant.Name)
	}
}

// recordedBodies keeps the bodies of the requests to the table.
type recordedBodies struct{ all bytes.Buffer }

func (r *recordedBodies) Do(request *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return nil, err
	}
	r.all.Write(body)
	request.Body = io.NopCloser(bytes.NewReader(body))
	return enginetest.Do(request)
}
