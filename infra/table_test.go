package main

import (
	"testing"

	"github.com/cashwrap/cashwrap/shared/store"
)

const tableKind = "AWS::DynamoDB::Table"

func TestTheTableIsTheStores(t *testing.T) {
	t.Parallel()
	inDev(t).has(t, tableKind, map[string]any{
		"TableName":               "cashwrap-dev",
		"KeySchema":               keySchema(store.PartitionKey, store.SortKey),
		"BillingMode":             "PAY_PER_REQUEST",
		"StreamSpecification":     map[string]any{"StreamViewType": "NEW_IMAGE"},
		"TimeToLiveSpecification": map[string]any{"AttributeName": store.TTLAttribute, "Enabled": true},
		"SSESpecification":        map[string]any{"SSEEnabled": true},
		"PointInTimeRecoverySpecification": map[string]any{
			"PointInTimeRecoveryEnabled": true, "RecoveryPeriodInDays": 35},
	})
	if tables := inDev(t).all(tableKind); len(tables) != 1 {
		t.Errorf("got %d tables, want 1", len(tables))
	}
}

func keySchema(partition, sort string) []any {
	return []any{
		map[string]any{"AttributeName": partition, "KeyType": "HASH"},
		map[string]any{"AttributeName": sort, "KeyType": "RANGE"},
	}
}

func TestEachIndexOfTheStoreIsThere(t *testing.T) {
	t.Parallel()
	for _, r := range inDev(t).all(tableKind) {
		indexes := r.Properties["GlobalSecondaryIndexes"].([]any)
		if len(indexes) != len(store.Indexes) {
			t.Fatalf("got %d indexes, want %d", len(indexes), len(store.Indexes))
		}
		for i, want := range store.Indexes {
			projection := map[string]any{"ProjectionType": "KEYS_ONLY"}
			if len(want.Include) > 0 {
				projection = map[string]any{"ProjectionType": "INCLUDE", "NonKeyAttributes": want.Include}
			}
			if got, want := plain(indexes[i]), plain(map[string]any{
				"IndexName": want.Name, "KeySchema": keySchema(want.Partition, want.Sort), "Projection": projection,
			}); got != want {
				t.Errorf("index %d: got %s, want %s", i, got, want)
			}
		}
	}
}

func TestOnlyProdsTableIsProtected(t *testing.T) {
	t.Parallel()
	inProd(t).has(t, tableKind, map[string]any{"DeletionProtectionEnabled": true, "TableName": "cashwrap-prod"})
	inDev(t).has(t, tableKind, map[string]any{"DeletionProtectionEnabled": false})
}
