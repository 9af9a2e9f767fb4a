// Package reconcile compares all records of money. The schedule calls it every night, with a request that has none of
// the fields below. The first call begins a proof of the whole table. Each later call begins a night, which proves what
// has changed since the run before (reconcile.Tick). A run that is not finished is carried on instead. The function
// "prove" does the work, over a queue, and logs the report.
//
// An operator may call it at any time and more than once:
//
//	{"whole":true}    proves the whole table within this call, and answers the report (reconcile.Report). The log
//	                  has each break as an error, and a summary.
//	{"segments":64}   begins a proof of the whole table in that many segments, which "prove" carries on. The answer
//	                  names the proof. A large table takes longer than a call may.
//	{"proof":"…"}     returns the report of a proof in segments, or of a night.
//
// The function changes no payment and no payout. It writes lines of statements with the entries of settlements, runs
// with their progress and breaks, the directory of tenants, and subjects that the next night has to prove.
//
// A tick and {"whole":true} also make the function "files" compare the stored objects with the records of files, since
// only that function reaches the objects. This comparison takes longer, and its result is only in the log.
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
	Whole    bool   `json:"whole"`
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
		case in.Whole:
			return f.run(ctx)
		default:
			return f.tick(ctx)
		}
	}
}

// tick begins or carries on the run of the schedule.
func (f function) tick(ctx context.Context) (any, error) {
	run, open, err := reconcile.Tick(ctx, f.config, uuid.NewString())
	if err != nil {
		return nil, err
	}
	f.Log.InfoContext(ctx, "run begun or carried on", "proof", run.ID, "night", run.Night, "segments", len(open))
	if err := f.send(ctx, run.ID, open); err != nil {
		return nil, err
	}
	f.compareFiles(ctx)
	return answer{Proof: run.ID}, nil
}

// beginProof begins a proof in segments, and sends a message for each.
func (f function) beginProof(ctx context.Context, segments int) (any, error) {
	run, err := reconcile.Begin(ctx, f.config, uuid.NewString(), segments)
	if err != nil {
		return nil, err
	}
	all := make([]int, run.Segments)
	for segment := range all {
		all[segment] = segment
	}
	return answer{Proof: run.ID}, f.send(ctx, run.ID, all)
}

// send sends a message for each of the segments.
func (f function) send(ctx context.Context, run string, segments []int) error {
	messages := make([]app.ProofMessage, len(segments))
	for i := range segments {
		messages[i] = app.ProofMessage{Run: run, Segment: &segments[i]}
	}
	return f.proofs.Send(ctx, messages...)
}

// run reconciles within this call.
func (f function) run(ctx context.Context) (any, error) {
	report, err := reconcile.Run(ctx, f.config)
	if err != nil {
		return nil, err
	}
	report.Write(ctx, f.Log, f.Metrics)
	f.compareFiles(ctx)
	return report, nil
}

// compareFiles makes the function files compare all objects. The report is complete without this comparison.
func (f function) compareFiles(ctx context.Context) {
	if err := f.files.Send(ctx, shardMessages()...); err != nil {
		f.Log.ErrorContext(ctx, "objects not compared", "error", err)
	}
}

// shardMessages returns the messages that make files compare all objects.
func shardMessages() []app.FileMessage {
	all := make([]app.FileMessage, file.Shards)
	for shard := range all {
		all[shard].Shard = &shard
	}
	return all
}
