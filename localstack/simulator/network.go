package simulator

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/cashwrap/cashwrap/functions"
	"github.com/cashwrap/cashwrap/localstack/aws/iam"
	"github.com/cashwrap/cashwrap/localstack/aws/s3"
	"github.com/cashwrap/cashwrap/localstack/aws/sdkcall"
	"github.com/cashwrap/cashwrap/localstack/aws/ses"
	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/localstack/platform/counterparty"
	"github.com/cashwrap/cashwrap/localstack/simulator/calls"
	"github.com/cashwrap/cashwrap/shared/bank"
	"github.com/cashwrap/cashwrap/shared/bank/file"
	"github.com/cashwrap/cashwrap/shared/store"
)

type exchange[T any] struct {
	kind     kind
	label    string
	targeted bool // a write that carries the condition of Mutation.Without
	send     func() (result T, outcome string, err error)
	refuse   func(faults.Fault) (T, error) // answers for Throttle and Conflict
}

// perform waits for the turn of an I/O. Then it carries the I/O out or lets it fail, as the scheduler decides.
func perform[T any](w *World, ctx context.Context, x exchange[T]) (T, error) {
	var nothing T
	by := invocationOf(ctx)
	if by.isGone() && x.kind != toSandbox {
		return nothing, faults.ErrGone
	}
	v := w.await(&call{kind: x.kind, ctx: ctx, actor: by.Actor, label: x.label, targeted: x.targeted})
	if x.kind != toSandbox {
		if by.isGone() {
			return nothing, faults.ErrGone
		}
		if v.late {
			w.Note(by.Actor, x.kind, x.label, "too late")
			return nothing, ctx.Err()
		}
	}
	switch v.Fault {
	case faults.FailBefore:
		w.Note(by.Actor, x.kind, x.label, v.Fault.String())
		return nothing, faults.ErrNetwork
	case faults.ArriveLate:
		w.Note(by.Actor, x.kind, x.label, v.Fault.String())
		//nolint:contextcheck // arrives when the caller's time is up
		w.SendLate(by.Actor, x.kind, x.label, func() string { _, outcome, _ := x.send(); return outcome })
		return nothing, faults.ErrNetwork
	case faults.Throttle, faults.Conflict:
		w.Note(by.Actor, x.kind, x.label, v.Fault.String())
		return x.refuse(v.Fault)
	case faults.DieBefore:
		w.Note(by.Actor, x.kind, x.label, v.Fault.String())
		by.die()
		return nothing, faults.ErrGone
	}
	result, outcome, err := x.send()
	w.Note(by.Actor, x.kind, x.label, strings.TrimSuffix(outcome+", "+v.Fault.String(), ", "))
	switch v.Fault {
	case faults.LoseReply:
		return nothing, faults.ErrNetwork
	case faults.DieAfter:
		by.die()
		return nothing, faults.ErrGone
	}
	return result, err
}

// net is the network to a counterparty. The counterparty finishes each call that it took, even when our process dies or
// gives up.
type net struct {
	world *World
	to    kind
}

// Carry sends the call when its turn comes. If the call is throttled, the counterparty has done nothing.
func (f net) Carry(ctx context.Context, c counterparty.Call) error {
	_, err := perform(f.world, ctx, exchange[struct{}]{
		kind: f.to, label: strings.TrimSpace(c.Name + " " + c.About),
		send: func() (struct{}, string, error) {
			outcome, err := c.Send(context.WithoutCancel(ctx))
			return struct{}{}, outcome, err
		},
		refuse: func(faults.Fault) (struct{}, error) { return struct{}{}, c.NotTaken },
	})
	return err
}

// wrapBank puts a network in front of a bank. Live mode's bank needs no network, because its transfers are in our
// table, and calls to the table already have faults.
func (w *World) wrapBank(b bank.Bank) bank.Bank {
	if _, ours := b.(*file.Bank); ours {
		return b
	}
	return counterparty.Bank(net{w, toBank}, w.BetweenBank(b))
}

// SendLate delivers an I/O long after its sender has given up on it.
func (w *World) SendLate(actor string, k kind, label string, send func() string) {
	w.Go(Stragglers, func() {
		w.Park(move, nil, actor+" straggler", label)
		w.Note(actor+" straggler", k, label, send())
	})
}

// awsClient is the SDK's HTTP client, of the platform or of the sandbox.
type awsClient struct {
	world *World
	kind  kind // of calls to the table
}

func (c awsClient) Do(r *http.Request) (*http.Response, error) {
	body, err := sdkcall.Body(r)
	if err != nil {
		return nil, err
	}
	by := invocationOf(r.Context())
	service, _, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	operation := sdkcall.Operation(r)
	k, engine := c.kind, http.RoundTripper(c.world.table)
	if ses.Sends(r) {
		k, engine = toMail, c.world.Mails
	} else if s3.Calls(r) {
		k, engine = toObjects, c.world.Objects
		c.world.Objects.CheckCall(by, r)
	} else if service == "AmazonSQS" {
		k, engine = toQueue, c.world.queues
		if c.world.Without == calls.Groups {
			body = ungroup(body)
		}
	} else if k == toTable {
		c.world.checkKeys(by, operation, body)
		by.recordCall(calls.Summary(operation, body))
	}
	c.world.checkRights(by, operation, body)
	body, targeted := c.world.Mutate(operation, body)
	sent := r.Clone(context.WithoutCancel(r.Context()))
	return perform(c.world, r.Context(), exchange[*http.Response]{
		kind: k, label: summaryOf(r, operation, body), targeted: targeted,
		//nolint:contextcheck // the checks read the table beside the call
		send: func() (*http.Response, string, error) {
			sent.Body, sent.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
			committed := c.world.workload.Committing(by, operation, body)
			response, err := engine.RoundTrip(sent)
			if err == nil && response.StatusCode == http.StatusOK {
				c.world.checkOwner(by, operation, body)
				committed()
			}
			return response, OutcomeOf(response), err
		},
		refuse: func(f faults.Fault) (*http.Response, error) { return faults.Refusal(r, f), nil },
	})
}

func summaryOf(r *http.Request, operation string, body []byte) string {
	if !s3.Calls(r) {
		return calls.Summary(operation, body)
	}
	_, key := s3.Named(r)
	return strings.TrimSpace(operation + " " + key + " " + r.URL.Query().Get("versionId"))
}

// OutcomeOf returns a short description of a reply.
func OutcomeOf(r *http.Response) string {
	if r == nil {
		return "no reply"
	}
	if r.StatusCode == http.StatusOK {
		return "ok"
	}
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	refused := Decoded[struct {
		Type                string `json:"__type"`
		CancellationReasons []struct{ Code string }
	}](body)
	_, name, _ := strings.Cut(refused.Type, "#")
	if name == "" { // S3 answers in XML
		return fmt.Sprint(r.StatusCode)
	}
	for _, reason := range refused.CancellationReasons {
		name += " " + reason.Code
	}
	return name
}

// ungroup removes the group ids from messages. The mutation control Groups uses it.
func ungroup(body []byte) []byte {
	var members map[string]any
	if json.Unmarshal(body, &members) != nil {
		return body
	}
	entries, _ := members["Entries"].([]any)
	for _, entry := range entries {
		if message, ok := entry.(map[string]any); ok {
			delete(message, "MessageGroupId")
		}
	}
	return []byte(Encoded(members))
}

// checkKeys checks the keys that a request touches. They must belong to the request's tenant, to no tenant, or to
// session tokens.
func (w *World) checkKeys(by *Invocation, operation string, body []byte) {
	if by.Tenant == "" {
		return
	}
	text := string(body)
	_, merchant, _ := strings.Cut(by.Tenant, "#")
	for _, key := range append(calls.ValuesOf(text, "pk"), calls.ValuesOf(text, calls.ListPartition)...) {
		p := calls.Partition(key)
		own := p.Tenant.String() == by.Tenant || key == "MERCHANT#"+merchant || key == "AUDIT#"+merchant
		shared := slices.Contains(iam.Unguessable, p.Kind)
		// Items that change together with the merchant exist in both modes. A request may read the other mode's items, but
		// never write them.
		sibling := p.Kind == store.KindPayoutSchedule && p.Tenant.Merchant == merchant && operation == "BatchGetItem"
		if !own && !shared && !sibling && !w.isKeptFor(key, by.Tenant) {
			w.Find("", "%s of %s touched %s in %s", by.Actor, by.Tenant, key, operation)
		}
	}
	if len(calls.ValuesOf(text, calls.DuePartition)) > 0 && strings.Contains(text, `"KeyConditions"`) {
		w.Find("", "%s of %s read the due index", by.Actor, by.Tenant)
	}
}

// isKeptFor returns true if the key is of a record that live mode's bank or acquirer keeps for the tenant. They use our
// table, too.
func (w *World) isKeptFor(key, tenant string) bool {
	if key == "FILEBANK#ASKED" || strings.HasPrefix(key, "STRIPE#CUSTOMER#"+tenant+"#") {
		return true
	}
	for _, of := range []struct{ prefix, sort string }{{"FILEBANK#ACCOUNT#", "ACCOUNT"}, {"STRIPE#CHARGE#", "CHARGE"},
		{"STRIPE#REFUND#", "REFUND"}} {
		if strings.HasPrefix(key, of.prefix) {
			owner := w.Read(key, of.sort).Text("tenant")
			return owner == "" || owner == tenant // a tombstone has no tenant
		}
	}
	return false
}

// checkRights checks that a function does only what its role allows, and never changes a journal entry.
func (w *World) checkRights(by *Invocation, operation string, body []byte) {
	requests, err := iam.Requests(operation, body)
	if err != nil {
		w.Find("", "%s: %v", by.Actor, err)
	}
	for _, r := range requests {
		if err := r.CheckJournal(); err != nil {
			w.Find("", "%s: %v", by.Actor, err)
		}
		if !slices.Contains(functions.Function{Name: by.Name}.Permissions(), r.Permission()) {
			w.Find("", "%s used %s, which functions/access.json does not give it", by.Actor, r.Permission())
		}
	}
}

// checkOwner checks that only the request that holds the claim of an Idempotency-Key ends the claim.
func (w *World) checkOwner(by *Invocation, operation string, body []byte) {
	keys := calls.ValuesOf(string(body), "pk")
	if len(keys) == 0 || calls.Partition(keys[0]).Kind != store.KindIdempotency {
		return
	}
	if operation == "PutItem" {
		by.claim = calls.ValuesOf(string(body), "owner")[0]
		return
	}
	if operation != "UpdateItem" {
		return
	}
	stored := w.Read(keys[0], "IDEMPOTENCY")
	if stored.Text("owner") != by.claim {
		w.Find("", "%s ended the claim of another request on %s", by.Actor, keys[0])
	}
}

// PlainClient returns a client whose calls to an engine bypass the scheduler.
func PlainClient(engine http.RoundTripper) aws.HTTPClient { return &http.Client{Transport: engine} }
