package storedtest

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/localstack/aws/dynamodb"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/store"
)

// Options compare stored values: amounts by value and currency, times as instants, and no list as one without elements.
var Options = cmp.Options{cmpopts.EquateComparable(money.Amount{}), cmpopts.EquateEmpty()}

// Open opens a store on an empty table in memory, whatever the tests' engine; wire, if given, is between the two.
func Open(tb testing.TB, now func() time.Time, wire func(aws.HTTPClient) aws.HTTPClient) *store.Store {
	tb.Helper()
	client := aws.HTTPClient(&http.Client{Transport: dynamodb.New(dynamodb.Config{Now: now})})
	if wire != nil {
		client = wire(client)
	}
	s := store.Open(store.Config{Table: "cashwrap", Region: "eu-central-1", Endpoint: "http://dynamodb.test", Now: now,
		Credentials: credentials.NewStaticCredentialsProvider("any", "none", ""), HTTP: client,
		MaxBackoff: time.Millisecond, DueShards: 4})
	if err := s.CreateTable(tb.Context()); err != nil {
		tb.Fatal(err)
	}
	return s
}

// NotRead are attributes that read does not miss, with the reason, by sort key up to "#" and name: "CHECKOUT write_id".
type NotRead map[string]string

// Read is what a read must return.
type Read struct {
	Name string
	Want any
	Get  func(context.Context) (any, error)
}

// Expect returns a read of the name that must return want.
func Expect[T any](name string, want T, get func(context.Context) (T, error)) Read {
	return Read{name, want, func(ctx context.Context) (any, error) { return get(ctx) }}
}

// RoundTrip fails unless each read returns what it must, and one of them notices the loss of any attribute of the
// table, also within lists and maps. It removes each in turn and puts it back. Reads may write to the table.
func RoundTrip(tb testing.TB, s *store.Store, answers []Read, unseen NotRead, options ...cmp.Option) {
	tb.Helper()
	faults, err := check(tb.Context(), s, answers, unseen, options)
	if err != nil {
		tb.Fatal(err)
	}
	for _, fault := range faults {
		tb.Error(fault)
	}
}

func check(ctx context.Context, s *store.Store, answers []Read, unseen NotRead,
	options cmp.Options) ([]string, error) {
	_, table := s.Raw()
	written, err := Items(ctx, table)
	if err != nil {
		return nil, err
	}
	r := &reader{table: table, answers: answers, options: append(options, Options)}
	if faults := r.faults(ctx); len(faults) > 0 {
		return faults, nil
	}
	var faults []string
	excused := map[string]bool{}
	for i, item := range written {
		for path, without := range removals(item) {
			mutated := slices.Clone(written)
			mutated[i] = without
			missed, err := r.misses(ctx, mutated)
			if err != nil {
				return nil, err
			}
			attribute, _, _ := strings.Cut(path, ".")
			attribute = name(item) + " " + attribute
			if _, ok := unseen[attribute]; ok {
				excused[attribute] = excused[attribute] || !missed
			} else if !missed {
				faults = append(faults, fmt.Sprintf("without %s %s the same is read", name(item), path))
			}
		}
	}
	for _, attribute := range slices.Sorted(maps.Keys(unseen)) {
		if !excused[attribute] {
			faults = append(faults, attribute+" is excused, but it is missed, or is not there")
		}
	}
	return faults, restore(ctx, table, written)
}

type reader struct {
	table   dynamo.Table
	answers []Read
	options cmp.Options
	last    int // the answer that missed something last, and likely misses what is removed next
}

func (r *reader) faults(ctx context.Context) (faults []string) {
	for _, a := range r.answers {
		got, err := a.Get(ctx)
		if diff := cmp.Diff(a.Want, got, r.options); err != nil || diff != "" {
			faults = append(faults, fmt.Sprintf("%s answers %v (-want +got):\n%s", a.Name, err, diff))
		}
	}
	return faults
}

// misses reports whether an answer is other than it must be while the table holds the items.
func (r *reader) misses(ctx context.Context, items []dynamo.Item) (bool, error) {
	other := func(a Read) bool {
		got, err := a.Get(ctx)
		return err != nil || !cmp.Equal(a.Want, got, r.options)
	}
	if err := restore(ctx, r.table, items); err != nil || other(r.answers[r.last]) {
		return true, err
	}
	if err := restore(ctx, r.table, items); err != nil { // the read may have written
		return false, err
	}
	i := slices.IndexFunc(r.answers, other)
	r.last = max(i, 0)
	return i >= 0, nil
}

func name(item dynamo.Item) string {
	name, _, _ := strings.Cut(text(item, store.SortKey), "#")
	return name
}

// Expiries returns when items of the table expire, the first first.
func Expiries(ctx context.Context, s *store.Store) ([]time.Time, error) {
	_, table := s.Raw()
	var items []struct {
		At time.Time `dynamo:"expires_at,unixtime"`
	}
	err := table.Scan().Filter("attribute_exists(expires_at)").All(ctx, &items)
	var expiries []time.Time
	for _, item := range items {
		expiries = append(expiries, item.At)
	}
	slices.SortFunc(expiries, time.Time.Compare)
	return expiries, err
}

// Items returns all items of the table.
func Items(ctx context.Context, table dynamo.Table) ([]dynamo.Item, error) {
	var items []dynamo.Item
	err := table.Scan().Consistent(true).All(ctx, &items)
	return items, err
}

// removals returns the item, or a map within one, without one attribute or element each; the keys stay.
func removals(fields map[string]types.AttributeValue) iter.Seq2[string, dynamo.Item] {
	return func(yield func(string, dynamo.Item) bool) {
		for _, field := range slices.Sorted(maps.Keys(fields)) {
			if field == store.PartitionKey || field == store.SortKey {
				continue
			}
			without := maps.Clone(fields)
			delete(without, field)
			if !yield(field, without) {
				return
			}
			for path, value := range within(fields[field]) {
				changed := maps.Clone(fields)
				changed[field] = value
				if !yield(field+"."+path, changed) {
					return
				}
			}
		}
	}
}

// within returns a map or list without one of what it holds each, at any depth.
func within(value types.AttributeValue) iter.Seq2[string, types.AttributeValue] {
	return func(yield func(string, types.AttributeValue) bool) {
		switch v := value.(type) {
		case *types.AttributeValueMemberM:
			for path, fields := range removals(v.Value) {
				if !yield(path, &types.AttributeValueMemberM{Value: fields}) {
					return
				}
			}
		case *types.AttributeValueMemberL:
			for i, element := range v.Value {
				rest := slices.Delete(slices.Clone(v.Value), i, i+1)
				if !yield(strconv.Itoa(i), &types.AttributeValueMemberL{Value: rest}) {
					return
				}
				for path, changed := range within(element) {
					elements := slices.Clone(v.Value)
					elements[i] = changed
					if !yield(strconv.Itoa(i)+"."+path, &types.AttributeValueMemberL{Value: elements}) {
						return
					}
				}
			}
		}
	}
}

func restore(ctx context.Context, table dynamo.Table, items []dynamo.Item) error {
	wanted := map[string]dynamo.Item{}
	for _, item := range items {
		wanted[place(item)] = item
	}
	there, err := Items(ctx, table)
	if err != nil {
		return err
	}
	for _, item := range there {
		k := place(item)
		switch want, ok := wanted[k]; {
		case !ok:
			err = table.Delete(store.PartitionKey, item[store.PartitionKey]).Range(store.SortKey,
				item[store.SortKey]).Run(ctx)
		case reflect.DeepEqual(want, item):
			delete(wanted, k)
		}
		if err != nil {
			return err
		}
	}
	for _, item := range wanted {
		if err := table.Put(item).Run(ctx); err != nil {
			return err
		}
	}
	return nil
}

func place(item dynamo.Item) string {
	return text(item, store.PartitionKey) + "\x00" + text(item, store.SortKey)
}

func text(item dynamo.Item, attribute string) string {
	return item[attribute].(*types.AttributeValueMemberS).Value
}
