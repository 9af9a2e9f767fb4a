package stripe_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"math/rand/v2"
	"net/http"
	"path"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/localstack/aws/engines/enginetest"
	"github.com/cashwrap/cashwrap/localstack/aws/sdkcall"
	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/localstack/harness/stripetest"
	"github.com/cashwrap/cashwrap/localstack/platform/counterparty"
	"github.com/cashwrap/cashwrap/shared/acquirer/stripe"
)

// openAt returns the acquirer of a process. Without a source of faults the network only has the mutant's.
func (h *history) openAt(process *fixture, source *rand.Rand) *stripe.Acquirer {
	return stripe.New(stripe.Config{DB: process.DB, Table: process.Table, Now: process.Now, NoticeNow: time.Now,
		BaseURL: "https://peer.example", Key: func() string { return stripetest.Key },
		NoticeSecrets: func() []string { return []string{currentSecret} },
		Network: faults.RoundTrip(func(r *http.Request) (*http.Response, error) {
			var answer *http.Response
			err := process.Wire.Carry(r.Context(), counterparty.Call{Name: stripetest.Operation(r),
				Send: func(context.Context) (_ string, err error) {
					answer, err = h.sendToPeer(r, source) //nolint:bodyclose // the caller closes it
					return "", err
				}})
			if err != nil {
				return nil, err
			}
			return answer, nil
		})})
}

// sendToPeer sends a request, and sometimes a copy that arrives later.
func (h *history) sendToPeer(r *http.Request, source *rand.Rand) (*http.Response, error) {
	var body []byte
	if r.Body != nil {
		var err error
		if body, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
	}
	send := func(ctx context.Context) (*http.Response, error) {
		copied := r.Clone(ctx)
		copied.Body = io.NopCloser(bytes.NewReader(body))
		return h.peer.RoundTrip(copied)
	}
	late := context.WithoutCancel(r.Context())
	if source != nil && source.IntN(20) == 0 {
		wait := time.Duration(source.IntN(30)) * time.Millisecond
		h.late.Go(func() {
			time.Sleep(wait)
			if answer, err := send(late); err == nil {
				answer.Body.Close()
			}
		})
	}
	if h.keepsFailed && stripetest.Operation(r) == "POST cancel" {
		return h.pretendToCancel(r)
	}
	return send(r.Context())
}

// pretendToCancel answers as if an intent were cancelled.
func (h *history) pretendToCancel(r *http.Request) (*http.Response, error) {
	intent, err := h.peer.Intent(r.Context(), path.Base(strings.TrimSuffix(r.URL.Path, "/cancel")))
	if err != nil {
		return nil, err
	}
	intent["status"] = "canceled"
	body, err := json.Marshal(intent)
	return stripetest.NewReply(r, http.StatusOK, body), err
}

// sendToTable sends a request to the table.
func (h *history) sendToTable(r *http.Request) (*http.Response, error) {
	if h.put == nil || sdkcall.Operation(r) != "PutItem" {
		return enginetest.Do(r)
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	changed, applies := h.put(string(body))
	switch {
	case !applies:
		changed = string(body)
	case changed == "":
		return stripetest.NewReply(r, http.StatusOK, []byte("{}")), nil
	}
	r.Body, r.ContentLength = io.NopCloser(strings.NewReader(changed)), int64(len(changed))
	return enginetest.Do(r)
}
