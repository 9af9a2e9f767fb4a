package main

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/platform"
	"github.com/cashwrap/cashwrap/localstack/platform/lambda/runner"
	"github.com/cashwrap/cashwrap/shared/reconcile"
	"github.com/cashwrap/cashwrap/shared/store"
)

func TestRunReconcile_Break(t *testing.T) {
	t.Parallel()
	place := newFolder(t)
	l := startPlatform(t, place, platform.Config{Engine: platform.InMemory})
	if err := runDemo(t.Context(), place, io.Discard); err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	if err := runReconcile(t.Context(), place, &said); err != nil ||
		!strings.Contains(said.String(), "merchant_payable") ||
		!strings.HasSuffix(said.String(), "breaks are in the log of the platform.\n") {
		t.Fatalf("got error %v, after\n%s\nwant that everything matches, merchant_payable too", err, &said)
	}
	b, err := place.Surroundings()
	if err != nil {
		t.Fatal(err)
	}
	_, table := store.Open(store.Config{Table: b.Environment["TABLE"], Region: b.Environment["AWS_REGION"],
		Endpoint: b.Environment["DYNAMODB_ENDPOINT"], Credentials: runner.Engines{
			AccessKey: b.AccessKey}.Credentials()}).Raw()
	var rows []struct {
		PK string `dynamo:"pk"`
		SK string `dynamo:"sk"`
	}
	mine := "PAYABLE#T#" + l.env["MERCHANT_CODE"]
	if err := table.Scan().Filter("begins_with(pk, ?)", mine).All(t.Context(), &rows); err != nil || len(rows) == 0 {
		t.Fatalf("got payables %v and error %v, want some", rows, err)
	}
	if err := table.Delete("pk", rows[0].PK).Range("sk", rows[0].SK).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	said.Reset()
	if err := runReconcile(t.Context(), place, &said); err == nil ||
		!strings.Contains(said.String(), "BREAK T#"+l.env["MERCHANT_CODE"]+" payable_missing ") ||
		strings.Contains(said.String(), "matches") {
		t.Errorf("got error %v, after\n%s\nwant an error and the break payable_missing", err, &said)
	}
	if err := l.stop(); err != nil {
		t.Errorf("stop: got error %v, want none", err)
	}
	if err := runReconcile(t.Context(), place, &said); !errors.Is(err, platform.ErrNotRunning) {
		t.Errorf("without a platform: got error %v, want %v", err, platform.ErrNotRunning)
	}
}

func TestPrintReport_Truncated(t *testing.T) {
	t.Parallel()
	var said strings.Builder
	err := printReport(&said, reconcile.Report{Found: 3, Breaks: []reconcile.Break{
		{Tenant: "T#M", Kind: "payable_missing", ID: "1", Text: "why"}}})
	if err != nil || !strings.Contains(said.String(), "BREAK T#M payable_missing 1: why\n… and 2 more\n") {
		t.Errorf("got error %v and report %s, want one break and 2 more", err, &said)
	}
}
