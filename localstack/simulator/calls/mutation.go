package calls

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/cashwrap/cashwrap/localstack/aws/sdkcall"
	"github.com/cashwrap/cashwrap/shared/store"
)

// Mutation removes a condition or a feature from a world, to show that the world needs it. It can also report the
// conditions of all writes.
type Mutation struct {
	Without    string            // name of a condition, or one of the constants; "" removes nothing
	Kept       bool              // keeps the condition, but the writes that carry it are reported
	Conditions func(name string) // if not nil, receives the name of each condition of a write
}

// Values of Mutation.Without that are not conditions. Package simulator removes Stream, Groups and Keys, and Mutate
// removes the others.
const (
	Stream = "the reader of the table's stream"
	Groups = "the message groups by which queues are fair"
	Keys   = "the idempotency keys of requests to Stripe"
	Shards = "all but the first of the shards that a query would find"
	Payee  = "the schedule in later changes of bank accounts, which says where payouts go"
	Audit  = "the audit entries of changes"
)

var writes = []string{"Put", "Update", "Delete", "ConditionCheck"}

// Mutate returns the body of a call after removing the condition or the writes that m.Without names. If Without is
// Shards, it changes the partition key in a Query of a later shard, so that the Query finds nothing. carried is true if
// the call had the condition.
func (m Mutation) Mutate(operation string, body []byte) (mutated []byte, carried bool) {
	if m.Without == Shards && operation == "Query" {
		return laterShard.ReplaceAll(body, []byte("$0#none")), false
	}
	if m.Without == "" && m.Conditions == nil || !strings.Contains(string(body), "ConditionExpression") {
		return body, false
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(body, &members) != nil {
		return body, false
	}
	if operation != "TransactWriteItems" {
		carried = m.stripCondition(strings.TrimSuffix(operation, "Item"), members)
		return encode(members), carried
	}
	var items []transactItem
	if json.Unmarshal(members["TransactItems"], &items) != nil {
		return body, false
	}
	for _, item := range items {
		for _, kind := range writes {
			if item[kind] != nil {
				carried = m.stripCondition(kind, item[kind]) || carried
			}
		}
	}
	members["TransactItems"] = encode(m.removeWrites(items))
	return encode(members), carried
}

// removeWrites returns a transaction without the writes that Without removes.
func (m Mutation) removeWrites(items []transactItem) []transactItem {
	items = slices.DeleteFunc(items, func(i transactItem) bool { // a ConditionCheck without a condition has no content
		check := i["ConditionCheck"]
		return check != nil && check["ConditionExpression"] == nil
	})
	switch {
	case m.Without == Audit:
		return slices.DeleteFunc(items, puts(`"AUDIT#`))
	case m.Without == Payee && slices.ContainsFunc(items, puts(`"BANKACCOUNTS"`)):
		return slices.DeleteFunc(items, func(i transactItem) bool {
			return puts(`"SCHEDULE"`)(i) && !puts(firstVersion)(i)
		})
	default:
		return items
	}
}

const firstVersion = `"version":{"N":"1"}` // part of a new item

type transactItem map[string]map[string]json.RawMessage

// puts returns a filter that matches a Put if the item contains the text.
func puts(text string) func(transactItem) bool {
	return func(i transactItem) bool { return strings.Contains(string(i["Put"]["Item"]), text) }
}

// laterShard matches the partition key of any shard of a merchant except the first. The match ends with the shard's
// name.
var laterShard = regexp.MustCompile(
	`"(?:PAYABLE#[LT]#[A-Z0-9]+#[A-Z]{3}|(?:CHECKOUTS|HISTORY|CHANGES)#[LT]#[A-Z0-9]+)#[0-9]+`)

// stripCondition removes the condition from one write, and returns true if the write had the condition. It also removes
// the names and values that only the condition used, because the table refuses unused names and values.
func (m Mutation) stripCondition(kind string, write map[string]json.RawMessage) bool {
	if write["ConditionExpression"] == nil {
		return false
	}
	name := conditionName(kind, write)
	if m.Conditions != nil {
		m.Conditions(name)
	}
	if name != m.Without {
		return false
	}
	if m.Kept {
		return true
	}
	delete(write, "ConditionExpression")
	rest := string(write["UpdateExpression"])
	for _, member := range []string{"ExpressionAttributeNames", "ExpressionAttributeValues"} {
		var given map[string]json.RawMessage
		if json.Unmarshal(write[member], &given) != nil {
			continue
		}
		for placeholder := range given {
			if !regexp.MustCompile(regexp.QuoteMeta(placeholder) + `\b`).MatchString(rest) {
				delete(given, placeholder)
			}
		}
		if delete(write, member); len(given) > 0 {
			write[member] = encode(given)
		}
	}
	return true
}

// conditionName returns the name of a condition: the kind of write, the kind of item, and the expression with its names
// but without its values.
func conditionName(kind string, write map[string]json.RawMessage) string {
	var expression string
	var names map[string]string
	_ = json.Unmarshal(write["ConditionExpression"], &expression)
	_ = json.Unmarshal(write["ExpressionAttributeNames"], &names)
	target := string(write["Item"]) + string(write["Key"])
	first := func(name string) string { return append(ValuesOf(target, name), "")[0] }
	return kind + " " + itemKind(first("pk"), first("sk")) + ": " + sdkcall.Named(expression, names)
}

// counterparties are prefixes of the keys of counterparties' items.
var counterparties = []string{"SANDBOX", "STRIPE", "FILEBANK", "TERMINAL"}

// itemKinds lists names for items whose sort keys are times or random digits, or are the same in several kinds of
// partition.
var itemKinds = map[store.Kind]string{store.KindPayoutRecords: "RECORD", store.KindAudit: "AUDIT",
	store.KindEmail: "ADDRESS", store.KindObjects: "OBJECT"}

// sharedNames lists the kinds of partitions with items named COUNT or DELETED. itemKind adds the kind of the partition
// to these names.
var sharedNames = []store.Kind{store.KindFiles, store.KindMembers, store.KindRoles, store.KindAPIKey}

// itemKind returns a name for the kind of an item, by its keys.
func itemKind(pk, sk string) string {
	sort, rest, _ := strings.Cut(sk, "#")
	book, _, _ := strings.Cut(pk, "#")
	of := Partition(pk).Kind
	switch {
	case slices.Contains(counterparties, book):
		return book + " " + sort
	case itemKinds[of] != "":
		return itemKinds[of]
	case of == store.KindFiles && sort == "COUNT": // COUNT#FILES or COUNT#COLLECTIONS
		return rest + " COUNT"
	case slices.Contains(sharedNames, of) && (sort == "COUNT" || sort == "DELETED"): // in several kinds of partition
		return string(of) + " " + sort
	default:
		return sort
	}
}

func encode(v any) json.RawMessage {
	text, _ := json.Marshal(v) // callers pass decoded values, which can always be encoded
	return text
}
