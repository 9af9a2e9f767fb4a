package rest_test

import (
	"context"
	"encoding/hex"
	"io"
	"sync"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/shared/rest"
)

// recordedSecrets records the secrets that an operation reads from Random, in order.
type recordedSecrets struct {
	mu  sync.Mutex
	all []string
}

func (d *recordedSecrets) routes() []rest.Route {
	return []rest.Route{route("POST", "/secrets", func(ctx context.Context, _ emptyRequest) (textResponse, error) {
		secret := make([]byte, 100)
		if _, err := io.ReadFull(rest.Random(ctx), secret); err != nil {
			return textResponse{}, err
		}
		d.mu.Lock()
		defer d.mu.Unlock()
		d.all = append(d.all, hex.EncodeToString(secret))
		return textResponse{}, nil
	})}
}

// TestRandom_RepeatedOperation checks that only a repeated operation gets the same secret, also after a key rotation.
func TestRandom_RepeatedOperation(t *testing.T) {
	t.Parallel()
	d := &recordedSecrets{}
	f := newFixture(t, d.routes())
	before, after, _ := f.newFleets(d.routes())
	post := func(key string) { answer(before, f.request("POST", "/secrets", `{}`, "Idempotency-Key:"+key)) }
	f.wire.Inject(faults.Always("UpdateItem", faults.FailBefore)) // the reply is never recorded, as after a crash
	post("one")
	f.wire.Inject(nil)
	f.Advance(2 * time.Hour) // the new secret is in use
	answer(after, f.request("POST", "/secrets", `{}`, "Idempotency-Key:one"))
	post("two")
	post("")
	post("")
	if len(d.all) != 5 || d.all[0] != d.all[1] {
		t.Fatalf("got %v, want five, of which the first two are the same", d.all)
	}
	seen := map[string]bool{}
	for _, secret := range d.all[1:] {
		if seen[secret] {
			t.Errorf("got %s twice", secret)
		}
		seen[secret] = true
	}
}

// TestRandom_WithoutOperation checks that secrets are random without an operation.
func TestRandom_WithoutOperation(t *testing.T) {
	t.Parallel()
	var drawn [2][32]byte
	for i := range drawn {
		if _, err := io.ReadFull(rest.Random(t.Context()), drawn[i][:]); err != nil {
			t.Fatal(err)
		}
	}
	if drawn[0] == drawn[1] || drawn[0] == [32]byte{} {
		t.Errorf("got %x twice, or zeros", drawn[0])
	}
}
