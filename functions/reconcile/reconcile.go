// Package reconcile compares all records of money every night, and whenever an operator calls it:
//
//	aws lambda invoke --function-name reconcile --cli-read-timeout 900 report.json
//
// The answer is the report (reconcile.Report): the records read, the totals, and each break. The log has each break as
// an error, and a summary. Invoke writes only lines of statements and the progress of proofs, so it may run at any time
// and more than once.
//
// A large table takes longer than a call may. The request {"segments":64} begins a proof in that many segments, which
// the function "prove" carries on. The answer names the proof, and the request {"proof":"…"} returns its report.
//
// Invoke then makes the function "files" compare the stored objects with the records of files, since only that function
// reaches the objects. This comparison takes longer, and its result is only in the log.
package reconcile

import (
	"context"
	"encoding/json"

	"github.com/google/uuid"

	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/app/banking"
	"github.com/cashwrap/cashwrap/shared/app/queue"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/file"
	"github.com/cashwrap/cashwrap/shared/reconcile"
)

// maxSegments limits the segments of a proof, and so the calls of the function "prove" at the same time.
const maxSegments = 1000

// request is the request of an operator. The event of a schedule has none of the fields.
type request struct {
	Segments int    `json:"segments"`
	Proof    string `json:"proof"`
}

// answer is the answer to a request about a proof in segments.
type answer struct {
	Proof  string            `json:"proof"`
	Proven bool              `json:"proven"` // the report is complete
	Report *reconcile.Report `json:"report,omitempty"`
}

// function has what a call needs.
type function struct {
	*app.App
	config reconcile.Config
	files  *queue.Files
	proofs *queue.Proofs
}

// Invoke reconciles.
func Invoke(a *app.App) func(context.Context, json.RawMessage) (any, error) {
	f := function{a, reconcile.Config{Store: a.Store, Acquirers: a.Acquirers, Banks: banking.Banks(a)},
		queue.OpenFiles(a), queue.OpenProofs(a)}
	return func(ctx context.Context, body json.RawMessage) (any, error) {
		var in request
		if err := json.Unmarshal(body, &in); err != nil {
			return nil, err
		}
		switch {
		case in.Proof != "":
			report, proven, err := reconcile.ReportOf(ctx, a.Store.View, in.Proof)
			return answer{in.Proof, proven, &report}, err
		case in.Segments < 0 || in.Segments > maxSegments:
			return nil, failure.Invalid("segments", "must be from 1 to 1000")
		case in.Segments > 0:
			return f.beginProof(ctx, in.Segments)
		default:
			return f.run(ctx)
		}
	}
}

// beginProof begins a proof in segments, and sends a message for each.
func (f function) beginProof(ctx context.Context, segments int) (any, error) {
	run, err := reconcile.Begin(ctx, f.config, uuid.NewString(), segments)
	if err != nil {
		return nil, err
	}
	messages := make([]app.ProofMessage, run.Segments)
	for segment := range messages {
		messages[segment] = app.ProofMessage{Run: run.ID, Segment: &segment}
	}
	return answer{Proof: run.ID}, f.proofs.Send(ctx, messages...)
}

// run reconciles within this call.
func (f function) run(ctx context.Context) (any, error) {
	report, err := reconcile.Run(ctx, f.config)
	if err != nil {
		return nil, err
	}
	report.Write(ctx, f.Log, f.Metrics)
	if err := f.files.Send(ctx, shardMessages()...); err != nil { // the report is complete without this comparison
		f.Log.ErrorContext(ctx, "objects not compared", "error", err)
	}
	return report, nil
}

// shardMessages returns the messages that make files compare all objects.
func shardMessages() []app.FileMessage {
	all := make([]app.FileMessage, file.Shards)
	for shard := range all {
		all[shard].Shard = &shard
	}
	return all
}
