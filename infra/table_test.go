package main

import (
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/shared/store"
)

const tableKind = "AWS::DynamoDB::GlobalTable"

func TestAddTable(t *testing.T) {
	t.Parallel()
	inDev(t).want(t, tableKind, map[string]any{
		"TableName":               "cashwrap-dev",
		"KeySchema":               keySchema(store.PartitionKey, store.SortKey),
		"BillingMode":             "PAY_PER_REQUEST",
		"StreamSpecification":     map[string]any{"StreamViewType": "NEW_AND_OLD_IMAGES"}, // replicas need both images
		"TimeToLiveSpecification": map[string]any{"AttributeName": store.TTLAttribute, "Enabled": true},
		"SSESpecification":        map[string]any{"SSEEnabled": true, "SSEType": "KMS"},
	})
	for _, r := range inDev(t).all(tableKind) {
		only := replica(r)
		if got, want := toJSON(only["PointInTimeRecoverySpecification"]), toJSON(map[string]any{
			"PointInTimeRecoveryEnabled": true, "RecoveryPeriodInDays": 35}); got != want {
			t.Errorf("got recovery %s, want %s", got, want)
		}
		key := inDev(t).keyOf(t, "table")
		if got, want := toJSON(only["SSESpecification"]), toJSON(map[string]any{"KMSMasterKeyId": arn(key)}); got != want {
			t.Errorf("got encryption %s, want %s", got, want)
		}
		if insights := only["ContributorInsightsSpecification"]; insights != nil {
			t.Errorf("got contributor insights %v, want none, which cost by the event", insights)
		}
	}
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

func TestAddTable_Indexes(t *testing.T) {
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
			if got, want := toJSON(indexes[i]), toJSON(map[string]any{
				"IndexName": want.Name, "KeySchema": keySchema(want.Partition, want.Sort), "Projection": projection,
			}); got != want {
				t.Errorf("index %d: got %s, want %s", i, got, want)
			}
		}
	}
}

func TestAddTable_DeletionProtection(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		s    *synthesis
		name string
		want bool
	}{{inDev(t), "cashwrap-dev", false}, {inProd(t), "cashwrap-prod", true}} {
		c.s.want(t, tableKind, map[string]any{"TableName": c.name})
		for _, r := range c.s.all(tableKind) {
			if got := replica(r)["DeletionProtectionEnabled"]; got != c.want {
				t.Errorf("%s: got protection %v, want %t", c.name, got, c.want)
			}
		}
	}
}

// replica returns the global table's only replica, which is in the stack's region.
func replica(r resource) map[string]any {
	all := asList(r.Properties["Replicas"])
	if len(all) != 1 {
		return nil
	}
	return asObject(all[0])
}

// keyOf returns the id of the KMS key whose description ends with the text.
func (s *synthesis) keyOf(t *testing.T, what string) string {
	t.Helper()
	for id, r := range s.all("AWS::KMS::Key") {
		if description, _ := r.Properties["Description"].(string); strings.HasSuffix(description, what) {
			return id
		}
	}
	t.Fatalf("got no key for %s, want one", what)
	return ""
}
