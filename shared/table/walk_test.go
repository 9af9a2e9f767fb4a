package table_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/harness/counterpartytest"
	"github.com/cashwrap/cashwrap/shared/table"
)

type item struct {
	PK   string `dynamo:"pk,hash"`
	SK   string `dynamo:"sk,range"`
	Note string `dynamo:"note,omitempty"`
	Fill string `dynamo:"fill,omitempty"`
}

func (i item) line() string { return i.SK + i.Note }

func fill(t *testing.T, items ...item) *counterpartytest.Fixture {
	t.Helper()
	b := counterpartytest.New(t)
	for _, i := range items {
		i.PK = "p"
		if err := b.Table.Put(i).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

func lines(t *testing.T, walk iter.Seq2[string, error]) []string {
	t.Helper()
	var all []string
	for line, err := range walk {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, line)
	}
	return all
}

// TestWalk checks that attributes of one item do not stay in the next item, and that a repeated walk sees later writes.
func TestWalk(t *testing.T) {
	t.Parallel()
	b := fill(t, item{SK: "1", Note: " first"}, item{SK: "2"})
	walk := table.Walk(t.Context(), b.Table.Get("pk", "p").Consistent(true), item.line)
	if got := lines(t, walk); !slices.Equal(got, []string{"1 first", "2"}) {
		t.Errorf("got %q, want 1 first and 2", got)
	}
	if err := b.Table.Put(item{PK: "p", SK: "3"}).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := lines(t, walk); !slices.Equal(got, []string{"1 first", "2", "3"}) {
		t.Errorf("again: got %q, want 1 first, 2 and 3", got)
	}
	if got := lines(t, table.Walk(t.Context(), b.Table.Get("pk", "nobody"), item.line)); len(got) != 0 {
		t.Errorf("of nothing: got %q, want no lines", got)
	}
}

func TestWalk_SeveralPages(t *testing.T) {
	t.Parallel()
	var items []item
	for i := range 14 {
		items = append(items, item{SK: fmt.Sprintf("%02d", i), Fill: strings.Repeat("x", 200_000)})
	}
	b := fill(t, items...)
	for operation, found := range map[string]table.Items{
		"Query": b.Table.Get("pk", "p").Consistent(true), "Scan": b.Table.Scan().Consistent(true),
	} {
		counterpartytest.WalkPages(t, b.Wire, operation, 14, func() iter.Seq2[string, error] {
			return table.Walk(t.Context(), found, item.line)
		})
	}
}

func TestWalk_ContextCancelled(t *testing.T) {
	t.Parallel()
	b := fill(t, item{SK: "1"}, item{SK: "2"})
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	n := 0
	for _, err := range table.Walk(ctx, b.Table.Get("pk", "p"), item.line) {
		if n++; n == 1 && err == nil {
			stop()
			continue
		}
		if n != 2 || !errors.Is(err, context.Canceled) {
			t.Errorf("line %d: got error %v, want %v at line 2", n, err, context.Canceled)
		}
	}
	if n != 2 {
		t.Errorf("got %d lines, want 2", n)
	}
}
