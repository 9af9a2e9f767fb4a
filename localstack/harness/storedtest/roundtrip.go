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

// Options compares stored values: amounts by value and currency, and times as instants. A nil list equals an empty
// list.
var Options = cmp.Options{cmpopts.EquateComparable(money.Amount{}), cmpopts.EquateEmpty()}

// Open opens a store on an empty table in memory, independent of the tests' engine. If wire is not nil, it wraps the
// HTTP client between the store and the table.
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

// NotRead lists the attributes whose removal no read notices, with the reason. A key is the item's sort key up to "#"
// and the attribute's name, such as "CHECKOUT write_id".
type NotRead map[string]string

// Read is a read of the store, with the result that it must return.
type Read struct {
	Name string
	Want any
	Get  func(context.Context) (any, error)
}

// Expect returns a Read with the name. Its function get must return want.
func Expect[T any](name string, want T, get func(context.Context) (T, error)) Read {
	return Read{name, want, func(ctx context.Context) (any, error) { return get(ctx) }}
}

// RoundTrip checks that each read returns its wanted result. Then it removes each attribute in turn, also within lists
// and maps. After each removal at least one read must return a wrong result or an error. RoundTrip then restores the
// table. Reads may write to the table.
func RoundTrip(tb testing.TB, s *store.Store, answers []Read, unseen NotRead, options ...cmp.Option) {
	tb.Helper()
	faults, err := checkReads(tb.Context(), s, answers, unseen, options)
	if err != nil {
		tb.Fatal(err)
	}
	for _, fault := range faults {
		tb.Error(fault)
	}
}

func checkReads(ctx context.Context, s *store.Store, answers []Read, unseen NotRead,
	options cmp.Options) ([]string, error) {
	_, table := s.Raw()
	written, err := Items(ctx, table)
	if err != nil {
		return nil, err
	}
	r := &reader{table: table, answers: answers, options: append(options, Options)}
	if faults := r.findFaults(ctx); len(faults) > 0 {
		return faults, nil
	}
	var faults []string
	excused := map[string]bool{}
	for i, item := range written {
		for path, without := range removals(item) {
			mutated := slices.Clone(written)
			mutated[i] = without
			missed, err := r.checkMissed(ctx, mutated)
			if err != nil {
				return nil, err
			}
			attribute, _, _ := strings.Cut(path, ".")
			attribute = sortKeyName(item) + " " + attribute
			if _, ok := unseen[attribute]; ok {
				excused[attribute] = excused[attribute] || !missed
			} else if !missed {
				faults = append(faults, fmt.Sprintf("without %s %s the same is read", sortKeyName(item), path))
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
	last    int // index of the answer that noticed the last removal, and probably notices the next
}

func (r *reader) findFaults(ctx context.Context) (faults []string) {
	for _, a := range r.answers {
		got, err := a.Get(ctx)
		if diff := cmp.Diff(a.Want, got, r.options); err != nil || diff != "" {
			faults = append(faults, fmt.Sprintf("%s answers %v (-want +got):\n%s", a.Name, err, diff))
		}
	}
	return faults
}

// checkMissed stores the items in the table, and returns true if a read then returns a wrong result or an error.
func (r *reader) checkMissed(ctx context.Context, items []dynamo.Item) (bool, error) {
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

func sortKeyName(item dynamo.Item) string {
	name, _, _ := strings.Cut(stringAttribute(item, store.SortKey), "#")
	return name
}

// Expiries returns the expiry times of the table's items in ascending order.
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

// removals returns copies of an item, or of a map in an item. Each copy lacks one attribute or element, at any depth.
// All copies keep the item's keys.
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
			for path, value := range nestedRemovals(fields[field]) {
				changed := maps.Clone(fields)
				changed[field] = value
				if !yield(field+"."+path, changed) {
					return
				}
			}
		}
	}
}

// nestedRemovals returns copies of a map or list. Each copy lacks one attribute or element, at any depth.
func nestedRemovals(value types.AttributeValue) iter.Seq2[string, types.AttributeValue] {
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
				for path, changed := range nestedRemovals(element) {
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
		wanted[itemKey(item)] = item
	}
	there, err := Items(ctx, table)
	if err != nil {
		return err
	}
	for _, item := range there {
		k := itemKey(item)
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

func itemKey(item dynamo.Item) string {
	return stringAttribute(item, store.PartitionKey) + "\x00" + stringAttribute(item, store.SortKey)
}

func stringAttribute(item dynamo.Item, attribute string) string {
	return item[attribute].(*types.AttributeValueMemberS).Value
}
